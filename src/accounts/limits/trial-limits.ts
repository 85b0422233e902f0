import { createHmac } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { Config } from '../../core/config.js';
import type { Caller } from '../../core/context.js';
import { plans } from '../../ledger/plans.js';
import { tooManyRequests } from './limiter.js';

/**
 * Limits the records that trials give away, by person and by network, in units of a trial's credits. Trials that give nothing, because they are
 * revoked unread, take nothing from either. A person is the keyed hash of an email address, so a deleted account does not begin anew.
 */
export class TrialLimits {
  /** @param secrets the first makes the hashes that are stored; all find them again */
  constructor(
    private readonly config: Pick<Config, 'trialsPerAccount' | 'trialsPerAddress'>,
    private readonly secrets: string[],
  ) {}

  /**
   * Counts a trial in the transaction that has issued it. Trials that an operator issued do not count, nor those of an account whose limits
   * are lifted.
   * @throws AppError too_many_requests
   */
  async consume(manager: EntityManager, accountId: string, { address, isLocal }: Caller, tokenId: string): Promise<void> {
    const { records } = plans.trial;
    const [ofPerson, ofNetwork] = [records * this.config.trialsPerAccount, records * this.config.trialsPerAddress];
    const [user] = await manager.query<{ email: string }[]>(`select email from auth."user" where id = $1 and not "trialLimitLifted"`, [
      accountId,
    ]);
    if (!user) return;
    const people = this.secrets.map((secret) => createHmac('sha256', secret).update(`trials of ${user.email}`).digest());
    const [waits] = await manager.query<[{ person: number; network: number; now: Date }]>(
      'select person_wait as person, network_wait as network, service_now() as now from auth.count_trial($1, $2, $3, $4, $5)',
      [tokenId, people, address, ofPerson, isLocal ? null : ofNetwork],
    );
    refuse(waits.person, waits.now, `A person gets ${ofPerson} records from trials within 30 days`);
    refuse(waits.network, waits.now, `A network address gets ${ofNetwork} records from trials a day`);
  }
}

function refuse(waitSeconds: number, now: Date, reason: string): void {
  if (waitSeconds <= 0) return;
  const minute = Math.ceil((now.getTime() / 1000 + waitSeconds) / 60);
  const [day, time] = new Date(60_000 * minute).toISOString().split('T') as [string, string];
  const next = `You can get the next trial on ${day} at ${time.slice(0, 5)} UTC`;
  throw tooManyRequests(waitSeconds, `${reason}. ${next}. The paid plan has no such limit.`);
}
