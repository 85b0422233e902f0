import type { Pool } from 'pg';
import type { BillingDifferenceEntity, Difference } from './billing-difference.entity.js';

/** Acknowledgements are actions in the activity log, which never changes. */
export const acknowledgeAction = 'acknowledge billing difference';

const acknowledged = `exists (select from admin_action a where a.action = '${acknowledgeAction}' and a.target = d.id)`;

/** Keeps the last comparison's findings only. */
export async function replaceDifferences(pool: Pool, differences: Difference[]): Promise<void> {
  await pool.query(
    `with found as (select * from json_to_recordset($1) as f (id text, "accountId" text, text text)
     ), gone as (delete from billing_difference where id not in (select id from found)
     )
     insert into billing_difference (id, account_id, text) select distinct on (id) id, "accountId", text from found on conflict do nothing`,
    [JSON.stringify(differences)],
  );
}

export async function unacknowledgedIds(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(`select id from billing_difference d where not ${acknowledged}`);
  return rows.map(({ id }) => id);
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
