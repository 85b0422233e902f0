import { NativeSelect, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { type CountyDetailsQuery, SetCountyStatusDocument } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { statusWords } from '../../map/status-words.js';
import { FormDialog } from '../../ui/form-dialog.js';

interface CountyStatusDialogProps {
  county: CountyDetailsQuery['county'];
  /** Called after a failure, too: the county may be another by now. */
  onAnswered: () => void;
  onClose: () => void;
}

// The other two are set by loads only.
const statusesByHand = ['planned', 'unavailable'] as const;

/** Sets the status of a county that is not loaded, which customers see, and the note for operators. Only what was edited is sent. */
export function CountyStatusDialog({ county, onAnswered, onClose }: CountyStatusDialogProps) {
  const setCountyStatus = useChange(SetCountyStatusDocument);
  // As it was when the dialog opened, which is what the operator decides on; the page behind may be fetched again meanwhile.
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
          The status is “{seen.status}”, by its releases.{seen.status === 'loaded' && ' To end that, withdraw the county.'}
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
