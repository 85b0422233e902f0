import { Text } from '@mantine/core';
import { formatCount } from '../../format/format.js';
import { type CountyDetailsQuery, RollbackCountyDocument } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { ConfirmDialog } from '../../ui/confirm-dialog.js';
import { Timestamp } from '../../ui/timestamp.js';

interface RollbackDialogProps {
  fips: string;
  /** What the operator saw as the current release; null: none was. */
  from: number | null;
  to: CountyDetailsQuery['countyReleases'][number];
  /** Called after a failure, too: the county may be another by now. */
  onAnswered: () => void;
  onClose: () => void;
}

/** Asks before the release before the present one is served again. */
export function RollbackDialog({ fips, from, to, onAnswered, onClose }: RollbackDialogProps) {
  const rollbackCounty = useChange(RollbackCountyDocument);
  return (
    <ConfirmDialog
      title={`Roll back to release ${to.id}?`}
      action="Roll back"
      onConfirm={() => rollbackCounty({ fips, from }).finally(onAnswered)}
      onClose={onClose}
    >
      <Text>
        Release {to.id}, published {to.publishedAt && <Timestamp at={to.publishedAt} />}, is served from now on, with its{' '}
        {formatCount(to.rowsLoaded + to.recordsKept)} records. Pages that customers are reading stay as they are.
      </Text>
    </ConfirmDialog>
  );
}
