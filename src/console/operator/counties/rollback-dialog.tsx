import { Text } from '@mantine/core';
import { formatCount } from '../../format/format.js';
import { type CountyDetailsQuery, RollbackCountyDocument } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.js';
import { Timestamp } from '../../ui/timestamp.js';

interface RollbackDialogProps {
  fips: string;
  /** The current release as the operator saw it; null if there was none. */
  from: number | null;
  to: CountyDetailsQuery['countyReleases'][number];
  /** Also called after a failure: the county may have changed. */
  onAnswered: () => void;
  onClose: () => void;
}

/** Asks before returning to the previous release. */
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
        Release {to.id}, published {to.publishedAt && <Timestamp at={to.publishedAt} />}, is served from now on, with{' '}
        {formatCount(to.rowsLoaded + to.recordsKept)} records. Customers who are paging through a release continue with that release.
      </Text>
    </ConfirmDialog>
  );
}
