import type { Logger } from 'pino';
import type Stripe from 'stripe';
import { isPassing, messageOf } from '../stripe/stripe-errors.js';

const fieldName = 'Ledger';
// Stripe's limit.
const maxFields = 4;

/** How many entries a balance has, and the hash of the last one. */
export interface LedgerHead {
  entries: number;
  head: string;
}

/** The head of subscription $1's balance. It takes no lock, so it waits for no reader. */
export const ledgerHeadQuery = `
  select b.entry_count as entries, encode(b.chain_head, 'hex') as head
    from subscription s join credit_balance b on b.id = s.balance_id where s.id = $1`;

/** The head that an invoice names; null without a field, or with a field of this name that is not ours. */
export function ledgerHeadOn({ custom_fields }: Stripe.Invoice): LedgerHead | null {
  const value = custom_fields?.find(({ name }) => name === fieldName)?.value;
  const [, entries, head] = /^(\d{1,9}) ([0-9a-f]{64})$/.exec(value ?? '') ?? [];
  return head ? { entries: Number(entries), head } : null;
}

/**
 * Writes the head on a draft, once, beside the fields of the Stripe account's owner. Stripe takes no fields on a final invoice, and we cannot
 * change the customer's copy. A failure is logged, never thrown: charging goes on.
 * @returns whether a retry may succeed
 */
export async function writeLedgerField(
  stripe: Stripe,
  draft: Stripe.Invoice,
  { entries, head }: LedgerHead,
  log: Logger,
): Promise<boolean> {
  const fields = draft.custom_fields ?? [];
  if (draft.status !== 'draft' || fields.some(({ name }) => name === fieldName)) return false;
  if (fields.length >= maxFields) {
    log.warn({ invoice: draft.id }, 'an invoice has no room for the Ledger field: it has four fields already');
    return false;
  }
  const custom_fields = [...fields, { name: fieldName, value: `${entries} ${head}` }];
  try {
    await stripe.invoices.update(draft.id, { custom_fields });
    return false;
  } catch (error) {
    log.warn({ invoice: draft.id, error: messageOf(error) }, 'the Ledger field was not written on an invoice');
    return isPassing(error);
  }
}
