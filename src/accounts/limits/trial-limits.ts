import type { EntityManager } from 'typeorm';
import type { Config } from '../../core/config.js';
import { tooManyRequests } from './limiter.js';
import { limits } from './limits.js';

/** Limits trials per account (30 days) and per address (one day). */
export class TrialLimits {
  constructor(private readonly config: Pick<Config, 'trialsPerAccount' | 'trialsPerAddress'>) {}

  /**
   * Counts a trial in the transaction that issues it. A concurrent request of the account waits until that transaction ends.
   * An account's trials are counted by their balances, which are never deleted. Trials issued by an operator count, too.
   * @throws AppError too_many_requests
   */
  async consume(manager: EntityManager, accountId: string, address: string): Promise<void> {
    const { trialsPerAccount, trialsPerAddress } = this.config;
    const [ofAccount, ofAddress] = [limits.trialsOfAccount(trialsPerAccount), limits.trialsOfAddress(trialsPerAddress, address)];
    // The lock of `issue_trial`, taken in a separate statement, so that a request that waited counts the balance it waited for.
    await manager.query(`select pg_advisory_xact_lock(hashtextextended('issue_trial ' || $1, 0))`, [accountId]);
    const [waits] = await manager.query<{ ofAccount: number; atAddress: number; now: Date }[]>(
      `select coalesce((
                select greatest(0, extract(epoch from period_start + make_interval(secs => $3) - service_now()))::float8
                  from credit_balance
                 where account_id = u.id and plan = 'trial'
                 order by period_start desc
                offset $2 - 1 limit 1
              ), 0) as "ofAccount",
              (auth.try_begin(array[$4], array[$4], array[$5::integer], array[$6::integer])).wait as "atAddress",
              service_now() as now
         from auth."user" u
        where u.id = $1 and not u."trialLimitLifted"`,
      [accountId, ofAccount.max, ofAccount.withinSeconds, ofAddress.key, ofAddress.max, ofAddress.withinSeconds],
    );
    if (!waits) return;
    refuse(waits.ofAccount, waits.now, `An account gets ${trialsPerAccount} trial tokens within 30 days`);
    refuse(waits.atAddress, waits.now, `A network address gets ${trialsPerAddress} trial tokens a day`);
  }
}

function refuse(waitSeconds: number, now: Date, reason: string): void {
  if (waitSeconds === 0) return;
  const minute = Math.ceil((now.getTime() / 1000 + waitSeconds) / 60);
  const [day, time] = new Date(60_000 * minute).toISOString().split('T') as [string, string];
  const next = `You can get the next one on ${day} at ${time.slice(0, 5)} UTC`;
  throw tooManyRequests(waitSeconds, `${reason}. ${next}. The paid plan has no such limit.`);
}
