import { Text } from '@mantine/core';
import { useState } from 'react';
import { plural } from '../../format/format.js';
import { type CountyDetailsQuery, SetCountyStatusDocument } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { ConfirmDialog } from '../../ui/confirm-dialog.js';

interface WithdrawCountyDialogProps {
  county: CountyDetailsQuery['county'];
  /** Called after a failure, too: the county may be another by now. */
  onAnswered: () => void;
  onClose: () => void;
}

/** Asks before the records of a loaded county are taken out of the service. */
export function WithdrawCountyDialog({ county, onAnswered, onClose }: WithdrawCountyDialogProps) {
  const setCountyStatus = useChange(SetCountyStatusDocument);
  // As it was when the dialog opened, which is what the operator decides on.
  const [{ fips, name, parcelCount, status, note, currentReleaseId }] = useState(county);
  return (
    <ConfirmDialog
      title={`Withdraw ${name}?`}
      action="Withdraw it"
      isDangerous
      onConfirm={() => setCountyStatus({ fips, seen: { status, note, currentReleaseId }, status: 'unavailable' }).finally(onAnswered)}
      onClose={onClose}
    >
      <Text>
        From the next request on, on all servers, its {plural(parcelCount, 'record')} can no longer be read, also by those who are in the
        middle of them. The county is shown as unavailable.
      </Text>
      <Text mt="xs">A rollback brings them back while they are kept; so does a release that is published or loaded.</Text>
    </ConfirmDialog>
  );
}
