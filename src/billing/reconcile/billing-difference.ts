import type { Pool } from 'pg';
import { Field, ID, ObjectType } from 'type-graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType('BillingDifference', { description: 'A difference between the ledger and Stripe in the latest comparison.' })
@Entity('billing_difference')
export class BillingDifferenceEntity {
  /** Contains what differs and by how much, so an acknowledged difference is not named again, and one that grows is. */
  @Field(() => ID)
  @PrimaryColumn('text')
  id: string;

  @Field(() => ID)
  @Column('text', { name: 'account_id' })
  accountId: string;

  @Field()
  @Column('text')
  text: string;

  @Field({ description: 'When the difference was first found.' })
  @Column('timestamptz', { name: 'found_at', default: () => 'service_now()' })
  foundAt: Date;

  /** The comparison that found it. */
  @Column('text')
  kind: DifferenceKind;

  /** From the activity log. */
  @Field(() => String, { nullable: true, description: 'Why an operator acknowledged the difference; null if none did.' })
  reason: string | null;
}

/** A customer's bills and credits, the ledger heads that they name, or subscriptions. */
export type DifferenceKind = 'bills' | 'ledger' | 'subscription';

/** A customer whose books are compared. */
export interface ComparedCustomer {
  customer: string;
  accountId: string;
}

/** Something that differs here and in Stripe. */
export type Difference = Pick<BillingDifferenceEntity, 'id' | 'accountId' | 'text'>;

/** Acknowledgements are actions in the activity log, which never changes. */
export const acknowledgeAction = 'acknowledge billing difference';

const acknowledged = `exists (select from admin_action a where a.action = '${acknowledgeAction}' and a.target = d.id)`;

// All customers with a balance, except those deleted in Stripe, whose invoices it no longer lists.
const compared = `c.stripe_customer_id is not null
  and exists (select from subscription s where s.stripe_customer_id = c.stripe_customer_id and s.balance_id is not null)`;

export async function customersToCompare(pool: Pool, afterDays: number): Promise<ComparedCustomer[]> {
  const { rows } = await pool.query<ComparedCustomer>(
    `select c.stripe_customer_id as customer, c.account_id as "accountId" from billing_customer c
      where ${compared} and (c.compared_at > service_now() - make_interval(days => $1)) is not true
      order by c.compared_at nulls first, c.account_id`,
    [afterDays],
  );
  return rows;
}

/** Keeps the last comparison's findings only, of one account or of all. In one statement, so that a known one keeps its `found_at`. */
export async function replaceDifferences(
  pool: Pool,
  kind: DifferenceKind,
  differences: Difference[],
  accountId: string | null = null,
): Promise<void> {
  await pool.query(
    `with found as (select * from json_to_recordset($1) as f (id text, "accountId" text, text text)
     ), gone as (
       delete from billing_difference
        where kind = $2 and ($3::text is null or account_id = $3) and id not in (select id from found)
     )
     insert into billing_difference (id, account_id, text, kind) select distinct on (id) id, "accountId", text, $2 from found
     on conflict do nothing`,
    [JSON.stringify(differences), kind, accountId],
  );
}

/** @param heads how many ledger heads its invoices name */
export async function replaceOfCustomer(
  pool: Pool,
  { accountId }: ComparedCustomer,
  found: Partial<Record<DifferenceKind, Difference[]>>,
  heads = 0,
): Promise<void> {
  for (const [kind, differences] of Object.entries(found)) {
    await replaceDifferences(pool, kind as DifferenceKind, differences, accountId);
  }
  await pool.query('update billing_customer set compared_at = service_now(), compared_heads = $2 where account_id = $1', [
    accountId,
    heads,
  ]);
}

/** Sums up all comparisons: the texts of unacknowledged differences. `oldest`: a comparison that is older than two weeks. */
export async function comparisonState(pool: Pool) {
  const { rows } = await pool.query<{
    customers: number;
    heads: number;
    oldest: string | null;
    texts: Partial<Record<DifferenceKind, string>>;
  }>(
    `select count(*)::integer as customers, coalesce(sum(c.compared_heads), 0)::integer as heads,
            min(coalesce(c.compared_at, c.created_at)) filter (where coalesce(c.compared_at, c.created_at) < service_now() - interval '14 days')::text
              as oldest,
            coalesce((
              select json_object_agg(kind, text) from (
                select kind, string_agg(text, '; ' order by id) as text from billing_difference d where not ${acknowledged} group by kind
              ) by_kind
            ), '{}') as texts
       from billing_customer c where ${compared}`,
  );
  return rows[0]!;
}

/** Unacknowledged ones first, then the newest. */
export async function listDifferences(pool: Pool): Promise<BillingDifferenceEntity[]> {
  const { rows } = await pool.query<BillingDifferenceEntity>(
    `select d.id, d.account_id as "accountId", d.text, d.found_at as "foundAt", a.reason
       from billing_difference d
       left join lateral (
         select reason from admin_action where action = $1 and target = d.id order by id desc limit 1
       ) a on true
      order by a.reason is not null, d.found_at desc, d.id limit 500`,
    [acknowledgeAction],
  );
  return rows;
}
