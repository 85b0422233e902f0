import type { EntityManager } from 'typeorm';
import type { Config } from '../config.js';
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
    const [{ wait }] = await manager.query<[{ wait: number }]>(
      'select greatest(auth.try_consume($1, $2, $5), auth.try_consume($3, $4, $5)) as wait',
      [`trial of ${accountId}`, trialsPerAccount, `trial at ${address}`, trialsPerAddress, withinSeconds],
    );
    refuseIfLimited(wait);
  }
}
