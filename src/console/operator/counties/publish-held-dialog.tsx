import { Checkbox, Text } from '@mantine/core';
import { PublishReleaseDocument } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { Differences, type ReleaseDetails } from './release-report-part.js';

interface PublishHeldDialogProps {
  release: ReleaseDetails;
  /** Also called after a failure: another operator may have decided. */
  onTried: () => void;
  onClose: () => void;
}

/** Publishes a held release. Each finding must be ticked separately. */
export function PublishHeldDialog({ release: { id, rowsLoaded, report }, onTried, onClose }: PublishHeldDialogProps) {
  const publishRelease = useChange(PublishReleaseDocument);
  const findings = report?.findings ?? [];
  return (
    <FormDialog
      title={`Publish release ${id} anyway?`}
      action={`Publish release ${id}`}
      onSubmit={async () => {
        await publishRelease({ releaseId: id, accept: findings.map(({ name }) => name) }).finally(onTried);
      }}
      onClose={onClose}
    >
      <Text>
        {report?.comparison ? 'It replaces the current release for all customers.' : 'All customers can buy its records.'} Check each
        finding to accept it:
      </Text>
      {findings.map(({ name, message }) => (
        <Checkbox key={name} name={name} label={`${message} (${name})`} required />
      ))}
      {report && <Differences records={rowsLoaded} report={report} />}
    </FormDialog>
  );
}
