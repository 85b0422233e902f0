import type { Pool } from 'pg';
import type Stripe from 'stripe';
import type { AuditFinding } from '../database/books-check.js';

/** Cents by the id of the credit. */
type Credits = Map<string, number>;

/** Compares, customer by customer, what was given back with what Stripe was told to give back. */
export async function checkStripeCredits(stripe: Stripe, pool: Pool): Promise<AuditFinding> {
  const finding: AuditFinding = {
    invariant: 'Stripe has each credit that was given, once, and no other of ours',
    checked: 0,
    firstBreak: null,
  };
  for (const [stripeCustomerId, given] of await givenCredits(pool)) {
    const held = await heldCredits(stripe, stripeCustomerId);
    const others = [...held.keys()].filter((id) => !given.has(id));
    // What is under way to Stripe may be there, and what was given since the books were looked at.
    const known = new Map([...given, ...(others.length > 0 ? await knownCredits(pool, others) : [])]);
    finding.checked += known.size;
    const wrong = [...given.keys(), ...others].find((id) => held.get(id) !== known.get(id));
    if (wrong === undefined || finding.firstBreak) continue;
    finding.firstBreak = `customer ${stripeCustomerId}: credit ${wrong} has ${known.get(wrong) ?? 0} cents here, ${held.get(wrong) ?? 0} in Stripe`;
  }
  return finding;
}

/** The credits of each customer that are in Stripe for certain. */
async function givenCredits(pool: Pool): Promise<Map<string, Credits>> {
  // Not of customers that were deleted in Stripe, whose credits it tells no more.
  const { rows } = await pool.query<{ customer: string; credits: Record<string, number> }>(
    `select b.stripe_customer_id as customer,
            coalesce(json_object_agg(c.id, c.amount_cents) filter (where c.id is not null), '{}') as credits
       from billing_customer b
       left join billing_credit c on c.stripe_customer_id = b.stripe_customer_id and c.state = 'given'
      where b.stripe_customer_id in (select stripe_customer_id from subscription)
      group by 1
      order by 1`,
  );
  return new Map(rows.map(({ customer, credits }) => [customer, new Map(Object.entries(credits))]));
}

/** Those that Stripe has under a name of ours. */
async function heldCredits(stripe: Stripe, stripeCustomerId: string): Promise<Credits> {
  const held: Credits = new Map();
  for await (const { amount, metadata } of stripe.customers.listBalanceTransactions(stripeCustomerId, { limit: 100 })) {
    if (metadata?.credit) held.set(metadata.credit, (held.get(metadata.credit) ?? 0) - amount);
  }
  return held;
}

async function knownCredits(pool: Pool, ids: string[]): Promise<Credits> {
  const { rows } = await pool.query<{ id: string; cents: number }>(
    `select id::text, amount_cents::integer as cents from billing_credit where id::text = any($1)`,
    [ids],
  );
  return new Map(rows.map(({ id, cents }) => [id, cents]));
}
