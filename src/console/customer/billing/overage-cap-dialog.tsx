import { Text } from '@mantine/core';
import { formatUsd } from '../../format/format.js';
import { SetOverageCapDocument } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { CapInput, capOf } from '../cap-input.js';

interface OverageCapDialogProps {
  cap: number | null;
  unitUsd: string;
  onSaved: () => void;
  onClose: () => void;
}

/** Sets the maximum of overage records in a period; an empty field removes it. */
export function OverageCapDialog({ cap, unitUsd, onSaved, onClose }: OverageCapDialogProps) {
  const setOverageCap = useChange(SetOverageCapDocument);
  return (
    <FormDialog
      title="Cap on overage"
      action="Set the cap"
      onSubmit={async ({ cap: records = '' }) => {
        await setOverageCap({ records: capOf(records) });
        onSaved();
      }}
      onClose={onClose}
    >
      <Text>
        Beyond the included records each costs {formatUsd(unitUsd)}. At the cap, requests are refused until the next period. Leave it empty
        for no cap; 0 allows none.
      </Text>
      <CapInput label="Most overage records in a period" cap={cap} hasFocus />
    </FormDialog>
  );
}
