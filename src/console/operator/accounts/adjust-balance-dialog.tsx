import { Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { formatCount } from '../../format/format.js';
import { StaleSignIn } from '../../format/stale-sign-in.js';
import { AdjustBalanceDocument } from '../../graphql/operations.js';
import { ChangeError, useChange } from '../../graphql/use-change.js';
import { FormDialog } from '../../ui/form-dialog.js';

interface AdjustBalanceDialogProps {
  balance: { id: string; creditsRemaining: number };
  onAdjusted: () => void;
  onClose: () => void;
}

/** Writes an adjustment into the ledger, which takes a recent sign-in. However often it is sent, a dialog writes one. */
export function AdjustBalanceDialog({ balance, onAdjusted, onClose }: AdjustBalanceDialogProps) {
  const adjustBalance = useChange(AdjustBalanceDocument);
  const [idempotencyKey] = useState(newKey);
  const write = async ({ credits = '', reason = '' }: Record<string, string>) => {
    try {
      await adjustBalance({ balanceId: balance.id, credits: Number(credits), reason, idempotencyKey });
    } catch (error) {
      throw error instanceof ChangeError && error.code === 'forbidden' ? new StaleSignIn(error.message) : error;
    }
    onAdjusted();
  };
  return (
    <FormDialog title="Adjust the balance" action="Write the entry" onSubmit={write} onClose={onClose}>
      <Text>{formatCount(balance.creditsRemaining)} credits are left. The customer sees the entry, with its reason, in their ledger.</Text>
      <TextInput
        label="Credits to add"
        description="Below zero to take away"
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

// Not `randomUUID`, which pages have by https only.
const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
