import type { Pool } from 'pg';
import type Stripe from 'stripe';
import { subscriptionOf } from '../stripe/invoices.js';
import { ledgerHeadOn } from '../subscriptions/ledger-field.js';
import type { Difference } from './billing-difference.entity.js';

/** The ledger head that an invoice names, and the subscription whose balance it is. */
export interface NamedHead {
  invoice: string;
  subscription: string;
  entries: number;
  head: string;
}

export const namedHeads = (invoices: Stripe.Invoice[]): NamedHead[] =>
  invoices.flatMap((invoice) => {
    const [named, subscription] = [ledgerHeadOn(invoice), subscriptionOf(invoice)];
    return named && subscription ? [{ invoice: invoice.id, subscription, ...named }] : [];
  });

/** Each entry must still have the hash that the invoice names. */
export async function ledgerDifferences(pool: Pool, accountId: string, named: NamedHead[]): Promise<Difference[]> {
  const { rows } = await pool.query<{ invoice: string; text: string }>(
    `select n.invoice, case when l.hash is null
              then format('invoice %s names entry %s, which the ledger does not have', n.invoice, n.entries)
              else format('invoice %s names another entry %s of balance %s: the ledger was changed', n.invoice, n.entries, l.balance_id) end as text
       from json_to_recordset($1) as n (invoice text, subscription text, entries integer, head text)
       left join subscription s on s.id = n.subscription
       left join ledger_entry l on l.balance_id = s.balance_id and l.sequence = n.entries
      where l.hash is distinct from decode(n.head, 'hex')`,
    [JSON.stringify(named)],
  );
  return rows.map(({ invoice, text }) => ({ id: `${invoice} ledger`, accountId, text }));
}
