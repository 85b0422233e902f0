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
/**
 * For one address over all accounts, and for one account over all addresses. Beyond these limits an attack is under way, and a source
 * has one attempt at an account in a window, of which it hears only when the password was right.
 */
const perAddressLimit = { max: 50, withinSeconds: window };
const perAccountLimit = { max: 20, withinSeconds: window };
const underAttackLimit = { max: 1, withinSeconds: window };
/** Right passwords of one account: each costs as much as a wrong one, and nobody needs more. */
const successLimit = { max: 60, withinSeconds: minute };

/** One attempt to sign in with a password. */
export interface SignInAttempt {
  /**
   * Counts the failure.
   * @throws AppError `too_many_requests` for an unknown source while an attack is under way: it is not told that the password was wrong
   */
  failed(): Promise<void>;
  succeeded(): Promise<void>;
}

/**
 * Limits guessing of passwords without locking people out of their accounts.
 * - A source from which the account was used before (`KnownSources`) is limited by its own failures alone.
 * - Any other source is limited by the failures of its address and of the account, too. While these are under attack it still has one
 *   attempt in a window, so that owners can sign in from a new address, and neighbours of an attacker at all, with the right password.
 * E-mail addresses without an account are limited in the same way, so that the limits do not tell which ones have one.
 */
export class SignInGuard {
  constructor(
    private readonly limiter: Limiter,
    private readonly knownSources: KnownSources,
  ) {}

  /** From where the account is used: a known browser or address; null: from somewhere new. */
  knownSource(req: Request, email: string): Promise<string | null> {
    return this.knownSources.find(req, email);
  }

  /** @throws AppError `too_many_requests` with the seconds after which an attempt will be accepted */
  async admit(req: Request, email: string, known: string | null): Promise<SignInAttempt> {
    const account = `failed sign-in to ${emailKey(email)}`;
    const address = `failed sign-in by ${addressOf(req)}`;
    const success = `sign-in to ${emailKey(email)}`;
    const pair = `${account} from ${known ?? addressOf(req)}`;
    const limits: Limit[] = [{ key: success, ...successLimit }, ...perSourceLimits.map((limit) => ({ key: pair, ...limit }))];
    const attacked = [
      { key: account, ...perAccountLimit },
      { key: address, ...perAddressLimit },
    ];
    const isAttacked = !known && (await this.limiter.retryAfterSeconds(attacked)) > 0;
    if (isAttacked) limits.push({ key: pair, ...underAttackLimit });
    const wait = await this.limiter.retryAfterSeconds(limits);
    if (wait > 0) throw tooManyRequests(wait);
    return {
      failed: async () => {
        await this.limiter.count([pair, account, address]);
        if (isAttacked) throw tooManyRequests(await this.limiter.retryAfterSeconds(limits));
      },
      succeeded: () => this.limiter.count([success]),
    };
  }
}
