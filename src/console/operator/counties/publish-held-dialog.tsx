import { Checkbox, Text } from '@mantine/core';
import { PublishReleaseDocument } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { FormDialog } from '../../ui/form-dialog.js';
import type { ReleaseDetails } from './release-page.js';
import { Differences } from './release-report-part.js';

interface PublishHeldDialogProps {
  release: ReleaseDetails;
  /** Also after a failure: then another operator may have decided. */
  onTried: () => void;
  onClose: () => void;
}

/** Publishes a release that is held: each finding must be ticked by itself. */
export function PublishHeldDialog({ release: { id, rowsLoaded, report }, onTried, onClose }: PublishHeldDialogProps) {
  const publishRelease = useChange(PublishReleaseDocument);
  const findings = report?.findings ?? [];
  return (
    <FormDialog
      title={`Publish release ${id} all the same?`}
      action={`Publish release ${id}`}
      onSubmit={async () => {
        await publishRelease({ releaseId: id, accept: findings.map(({ name }) => name) }).finally(onTried);
      }}
      onClose={onClose}
    >
      <Text>It takes the place of the present release for every customer. Tick what you know of and want:</Text>
      {findings.map(({ name, message }) => (
        <Checkbox key={name} name={name} label={`${message} (${name})`} required />
      ))}
      {report && <Differences records={rowsLoaded} report={report} />}
    </FormDialog>
  );
}
