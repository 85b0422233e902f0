import { Text, TextInput } from '@mantine/core';
import { formatCount, formatUsd } from '../../format/format.js';
import { SetOverageCapDocument } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';

interface OverageCapDialogProps {
  cap: number | null;
  unitUsd: string;
  onSaved: () => void;
  onClose: () => void;
}

// The server's bound.
const largestCap = 1_000_000_000;

/** Sets the maximum of overage records in a period; an empty field removes it. */
export function OverageCapDialog({ cap, unitUsd, onSaved, onClose }: OverageCapDialogProps) {
  const setOverageCap = useChange(SetOverageCapDocument);
  return (
    <FormDialog
      title="Cap on overage"
      action="Set the cap"
      onSubmit={async ({ records = '' }) => {
        await setOverageCap({ records: records === '' ? null : Number(records) });
        onSaved();
      }}
      onClose={onClose}
    >
      <Text>
        Beyond the included records each costs {formatUsd(unitUsd)}. At the cap, requests are refused until the next period. Leave it empty
        for no cap; 0 allows none.
      </Text>
      <TextInput
        label="Most overage records in a period"
        name="records"
        inputMode="numeric"
        pattern={`[0-9]{0,9}|${largestCap}`}
        title={`A whole number up to ${formatCount(largestCap)}, or empty`}
        defaultValue={cap ?? ''}
        data-autofocus
      />
    </FormDialog>
  );
}
