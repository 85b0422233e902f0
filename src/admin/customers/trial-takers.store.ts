import type { Pool } from 'pg';
import type { TrialAddress, TrialTaker, TrialTakers } from './trial-takers.js';

/** Who takes trials again and again. */
export class TrialTakersStore {
  constructor(private readonly pool: Pool) {}

  async find(): Promise<TrialTakers> {
    const [accounts, addresses] = await Promise.all([
      this.pool.query<TrialTaker>(
        `select b.account_id as "accountId", u.email, count(*)::integer as trials,
                sum(greatest(0, b.grant_records - b.remaining))::integer as "creditsUsed", max(b.period_start) as "latestAt"
           from credit_balance b join auth."user" u on u.id = b.account_id
          where b.plan = 'trial' and b.period_start > service_now() - interval '30 days'
          group by b.account_id, u.email having count(*) > 1
          order by trials desc, "latestAt" desc limit 50`,
      ),
      this.pool.query<TrialAddress>(
        `select substr(key, length('trial at ') + 1) as address, count(*)::integer as trials
           from auth.rate_limit_event where key like 'trial at %' and at > service_now() - interval '1 day'
          group by key having count(*) > 1
          order by trials desc, key limit 50`,
      ),
    ]);
    return { accounts: accounts.rows, addresses: addresses.rows };
  }
}
