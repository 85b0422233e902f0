import { type BillingQuery, SetOverageCapDocument } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { capOf, OverageCapInput } from './overage-cap-input.js';

interface OverageCapDialogProps {
  capUsd: string | null;
  plan: BillingQuery['paidPlan'];
  onSaved: () => void;
  onClose: () => void;
}

/** Sets the most that overage may cost in a period; an empty field removes the cap. */
export function OverageCapDialog({ capUsd, plan, onSaved, onClose }: OverageCapDialogProps) {
  const setOverageCap = useChange(SetOverageCapDocument);
  return (
    <FormDialog
      title="Overage cap"
      action="Save cap"
      onSubmit={async ({ cap = '' }) => {
        await setOverageCap({ records: capOf(cap, plan) });
        onSaved();
      }}
      onClose={onClose}
    >
      <OverageCapInput plan={plan} capUsd={capUsd} hasFocus />
    </FormDialog>
  );
}
