import type { Request } from 'express';
import { addressOf } from '../client-address.js';
import { emailKey } from './email-key.js';
import type { KnownSources } from './known-sources.js';
import { type Limit, type Limiter, tooManyRequests } from './limiter.js';

const minute = 60;
const window = 15 * minute;
/** For one account from one source: enough for a person who mistypes, too few for a program that guesses. */
const perSourceLimits = [
  { max: 3, withinSeconds: 10 },
  { max: 10, withinSeconds: window },
];
/** For one address over all accounts: somebody who tries one common password on many accounts meets this one. */
const perAddressLimit = { max: 50, withinSeconds: window };
/** For one account over all addresses. Beyond this it counts as under attack, and each unknown source has one attempt in a window. */
const perAccountLimit = { max: 20, withinSeconds: window };
const underAttackLimit = { max: 1, withinSeconds: window };

/** One attempt to sign in with a password. */
export interface SignInAttempt {
  /**
   * Counts the failure.
   * @throws AppError `too_many_requests` for an unknown source of an account under attack: it is not told that the password was wrong
   */
  failed(): Promise<void>;
}

/**
 * Limits guessing of passwords without locking owners out of their accounts. Only failed attempts count.
 * - A source from which the account was used before (`KnownSources`) is limited by its own failures alone.
 * - Any other source is limited by those of its address and of the account, too. While the account is under attack it still has one
 *   attempt in a window, so that the owner can sign in from a new address with the right password.
 * E-mail addresses without an account are limited in the same way, so that the limits do not tell which ones have one.
 */
export class SignInGuard {
  constructor(
    private readonly limiter: Limiter,
    private readonly knownSources: KnownSources,
  ) {}

  /** @throws AppError `too_many_requests` with the seconds after which an attempt will be accepted */
  async admit(req: Request, email: string): Promise<SignInAttempt> {
    const account = `failed sign-in to ${emailKey(email)}`;
    const address = `failed sign-in by ${addressOf(req)}`;
    const known = await this.knownSources.find(req, email);
    const pair = `${account} from ${known ?? addressOf(req)}`;
    const limits: Limit[] = perSourceLimits.map((limit) => ({ key: pair, ...limit }));
    let isAttacked = false;
    if (!known) {
      isAttacked = (await this.limiter.retryAfterSeconds([{ key: account, ...perAccountLimit }])) > 0;
      limits.push({ key: address, ...perAddressLimit });
      if (isAttacked) limits.push({ key: pair, ...underAttackLimit });
    }
    const wait = await this.limiter.retryAfterSeconds(limits);
    if (wait > 0) throw tooManyRequests(wait);
    return {
      failed: async () => {
        await this.limiter.count([pair, account, address]);
        if (isAttacked) throw tooManyRequests(await this.limiter.retryAfterSeconds(limits));
      },
    };
  }
}
