import type { EntityManager } from 'typeorm';
import type { Config } from '../../core/config.js';
import { refuseIfLimited } from './limiter.js';

const withinSeconds = 24 * 60 * 60;

/** How many trials an account, and all who come from one address, may take in a day. */
export class TrialLimits {
  constructor(private readonly config: Pick<Config, 'trialsPerAccount' | 'trialsPerAddress'>) {}

  /**
   * Counts a trial in the transaction that issues it: whoever asks at the same moment waits for its end, and then is counted or refused.
   * @throws AppError too_many_requests
   */
  async consume(manager: EntityManager, accountId: string, address: string): Promise<void> {
    const { trialsPerAccount, trialsPerAddress } = this.config;
    const [{ ofAccount, atAddress }] = await manager.query<[{ ofAccount: number; atAddress: number }]>(
      'select auth.try_consume($1, $2, $5) as "ofAccount", auth.try_consume($3, $4, $5) as "atAddress"',
      [`trial of ${accountId}`, trialsPerAccount, `trial at ${address}`, trialsPerAddress, withinSeconds],
    );
    refuse(ofAccount, `An account gets ${trialsPerAccount} trial tokens a day at the most`);
    refuse(atAddress, 'Very many trial tokens were issued at your network address today');
  }
}

const refuse = (seconds: number, reason: string): void =>
  refuseIfLimited(seconds, `${reason}. Subscribe to the paid plan under Billing, or take the next in ${Math.ceil(seconds / 3600)} h.`);
