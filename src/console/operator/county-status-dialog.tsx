import { NativeSelect, Text, Textarea } from '@mantine/core';
import { SetCountyStatusDocument } from '../graphql/operations.js';
import { useChange } from '../graphql/use-change.js';
import { statusWords } from '../map/status-words.js';
import { FormDialog } from '../parts/form-dialog.js';

interface CountyStatusDialogProps {
  county: { fips: string; status: string; note: string | null };
  onClose: () => void;
}

// The other two are set by loads only.
const statusesByHand = ['planned', 'unavailable'] as const;

/** Sets the status of a county that is not loaded, which customers see, and the note for operators. */
export function CountyStatusDialog({ county, onClose }: CountyStatusDialogProps) {
  const setCountyStatus = useChange(SetCountyStatusDocument);
  const isByHand = statusesByHand.some((status) => status === county.status);
  return (
    <FormDialog
      title="Status and note"
      action="Save"
      onSubmit={({ status = county.status, note = '' }) => setCountyStatus({ fips: county.fips, status, note: note.trim() || null })}
      onClose={onClose}
    >
      {isByHand ? (
        <NativeSelect
          label="Status"
          name="status"
          defaultValue={county.status}
          data={statusesByHand.map((value) => ({ value, label: `${statusWords[value].label}: ${statusWords[value].meaning}` }))}
        />
      ) : (
        <Text>The status is “{county.status}”, by its releases.</Text>
      )}
      <Textarea
        label="Note"
        description="For operators only"
        name="note"
        maxLength={2000}
        autosize
        minRows={3}
        defaultValue={county.note ?? ''}
      />
    </FormDialog>
  );
}
