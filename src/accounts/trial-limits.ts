import type { Config } from '../config.js';
import { type Limiter, refuseIfLimited } from './limiter.js';

const withinSeconds = 24 * 60 * 60;

/** How many trials an account, and all who come from one address, may take in a day. */
export class TrialLimits {
  constructor(
    private readonly limiter: Limiter,
    private readonly config: Pick<Config, 'trialsPerAccount' | 'trialsPerAddress'>,
  ) {}

  /** @throws AppError too_many_requests */
  async requireRoom(accountId: string, address: string): Promise<void> {
    const [account, place] = keysOf(accountId, address);
    const limits = [
      { key: account, max: this.config.trialsPerAccount, withinSeconds },
      { key: place, max: this.config.trialsPerAddress, withinSeconds },
    ];
    refuseIfLimited(await this.limiter.retryAfterSeconds(limits));
  }

  /** Counts one that was issued. */
  async count(accountId: string, address: string): Promise<void> {
    await this.limiter.count(keysOf(accountId, address));
  }
}

const keysOf = (accountId: string, address: string): [string, string] => [`trial of ${accountId}`, `trial at ${address}`];
