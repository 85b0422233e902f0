import { Text } from '@mantine/core';
import { useState } from 'react';
import { plural } from '../../format/format.js';
import { type CountyDetailsQuery, SetCountyStatusDocument } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.js';

interface WithdrawCountyDialogProps {
  county: CountyDetailsQuery['county'];
  /** Also called after a failure: the county may have changed. */
  onAnswered: () => void;
  onClose: () => void;
}

/** Asks before withdrawing the records of a loaded county. */
export function WithdrawCountyDialog({ county, onAnswered, onClose }: WithdrawCountyDialogProps) {
  const setCountyStatus = useChange(SetCountyStatusDocument);
  // The county when the dialog opened, which the operator's decision is based on.
  const [{ fips, name, parcelCount, status, note, currentReleaseId }] = useState(county);
  return (
    <ConfirmDialog
      title={`Withdraw ${name}?`}
      action="Withdraw county"
      isDangerous
      onConfirm={() => setCountyStatus({ fips, seen: { status, note, currentReleaseId }, status: 'unavailable' }).finally(onAnswered)}
      onClose={onClose}
    >
      <Text>
        Its {plural(parcelCount, 'record')} can no longer be read from the next request on, on all servers, even by customers who are paging
        through them. The county is shown as unavailable.
      </Text>
      <Text mt="xs">To restore them, roll back while they are kept, or publish or load a release.</Text>
    </ConfirmDialog>
  );
}
