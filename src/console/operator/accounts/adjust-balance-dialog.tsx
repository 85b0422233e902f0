import { Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { formatCount } from '../../format/format.js';
import { AdjustBalanceDocument } from '../../graphql/operations.js';
import { ChangeError, useChange } from '../../graphql/use-change.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { StaleSignInError } from '../../ui/failures.js';

interface AdjustBalanceDialogProps {
  balance: { id: string; creditsRemaining: number };
  onAdjusted: () => void;
  onClose: () => void;
}

/** Writes an adjustment to the ledger, which requires a recent sign-in. A dialog writes at most one, even if it is sent again. */
export function AdjustBalanceDialog({ balance, onAdjusted, onClose }: AdjustBalanceDialogProps) {
  const adjustBalance = useChange(AdjustBalanceDocument);
  const [idempotencyKey] = useState(newKey);
  const write = async ({ credits = '', reason = '' }: Record<string, string>) => {
    try {
      await adjustBalance({ balanceId: balance.id, credits: Number(credits), reason, idempotencyKey });
    } catch (error) {
      throw error instanceof ChangeError && error.code === 'forbidden' ? new StaleSignInError(error.message) : error;
    }
    onAdjusted();
  };
  return (
    <FormDialog title="Adjust balance" action="Write entry" onSubmit={write} onClose={onClose}>
      <Text>{formatCount(balance.creditsRemaining)} credits are left. The customer sees the entry and its reason in their ledger.</Text>
      <TextInput
        label="Credits to add"
        description="Use a negative number to remove credits"
        name="credits"
        pattern="[+\-]?[1-9][0-9]{0,6}"
        title="A whole number, not 0"
        required
        data-autofocus
      />
      <Textarea label="Reason" name="reason" required maxLength={500} autosize minRows={2} />
    </FormDialog>
  );
}

// Not `randomUUID`, which browsers offer only over https.
const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
