import type { EntityManager } from 'typeorm';
import type { Config } from '../../core/config.js';
import { tooManyRequests } from './limiter.js';

const accountDays = 30;
const addressSeconds = 24 * 60 * 60;

/** Seconds to wait for each limit. */
interface Waits {
  ofAccount: number;
  atAddress: number;
  now: Date;
}

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
    // A separate statement, so that a request that waited sees the balance it waited for. Earlier versions take the same lock.
    await manager.query(`select pg_advisory_xact_lock(hashtextextended('rate limit trial of ' || $1, 0))`, [accountId]);
    const [waits] = await manager.query<Waits[]>(
      `select coalesce((
                select greatest(0, extract(epoch from period_start + make_interval(hours => $3) - service_now()))::float8
                  from credit_balance
                 where account_id = u.id and plan = 'trial'
                 order by period_start desc
                offset $2 - 1 limit 1
              ), 0) as "ofAccount",
              auth.try_consume($4, $5, $6) as "atAddress",
              service_now() as now
         from auth."user" u
        where u.id = $1 and not u."trialLimitLifted"`,
      [accountId, trialsPerAccount, 24 * accountDays, `trial at ${address}`, trialsPerAddress, addressSeconds],
    );
    if (!waits) return;
    refuse(waits.ofAccount, waits.now, `An account gets ${trialsPerAccount} trial tokens within ${accountDays} days`);
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
