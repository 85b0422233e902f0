import { NativeSelect, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { type CountyDetailsQuery, SetCountyStatusDocument } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { statusWords } from '../../map/status.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';

interface CountyStatusDialogProps {
  county: CountyDetailsQuery['county'];
  /** Also called after a failure: the county may have changed. */
  onAnswered: () => void;
  onClose: () => void;
}

// The other two statuses are set only by loads.
const statusesByHand = ['planned', 'unavailable'] as const;

/** Sets the public status of a county that is not loaded, and the note for operators. Only edited fields are sent. */
export function CountyStatusDialog({ county, onAnswered, onClose }: CountyStatusDialogProps) {
  const setCountyStatus = useChange(SetCountyStatusDocument);
  // The state when the dialog opened, which the operator's decision is based on. The page may refetch meanwhile.
  const [{ fips, ...seen }] = useState({
    fips: county.fips,
    status: county.status,
    note: county.note,
    currentReleaseId: county.currentReleaseId,
  });
  const isByHand = statusesByHand.some((status) => status === seen.status);
  const save = ({ status = seen.status, note = '' }: Record<string, string>) => {
    const edited = { status, note: note.trim() || null };
    return setCountyStatus({
      fips,
      seen,
      ...(edited.status !== seen.status && { status: edited.status }),
      ...(edited.note !== seen.note && { note: edited.note }),
    }).finally(onAnswered);
  };
  return (
    <FormDialog title="Status and note" action="Save" onSubmit={save} onClose={onClose}>
      {isByHand ? (
        <NativeSelect
          label="Status"
          name="status"
          defaultValue={seen.status}
          data={statusesByHand.map((value) => ({ value, label: `${statusWords[value].label}: ${statusWords[value].meaning}` }))}
        />
      ) : (
        <Text>
          The releases set the status to “{seen.status}”.{seen.status === 'loaded' && ' To change it, withdraw the county.'}
        </Text>
      )}
      <Textarea
        label="Note"
        description="For operators only"
        name="note"
        maxLength={2000}
        autosize
        minRows={3}
        defaultValue={seen.note ?? ''}
      />
    </FormDialog>
  );
}
