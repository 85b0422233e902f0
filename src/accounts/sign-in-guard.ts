import type { Request } from 'express';
import { addressOf, emailKey } from './client-address.js';
import type { KnownSources } from './known-sources.js';
import { type Limit, type Limiter, tooManyRequests } from './limiter.js';

const minute = 60;
const window = 15 * minute;
/** Of one person from one source: slips of the finger pass, machines do not. */
const perSourceLimits = [
  { max: 3, withinSeconds: 10 },
  { max: 10, withinSeconds: window },
];
/** Of one address over all accounts, which is how one common password is tried on everybody. */
const perAddressLimit = { max: 50, withinSeconds: window };
/** Beyond this an account is under attack from many addresses: each of them then has one try in a window. */
const perAccountLimit = { max: 20, withinSeconds: window };
const underAttackLimit = { max: 1, withinSeconds: window };

/** One try at a password. */
export interface SignInAttempt {
  /** Counts it. Of a stranger to an account under attack not even "wrong" is told, but when to come again. */
  failed(): Promise<void>;
}

/**
 * Slows guessing without shutting anybody out. Only failures count. A person known here (by browser or address) meets only the
 * limit of their own source; a stranger also those of the address and of the account, and even then a first right
 * password is let in, so that an owner on a new address gets through whatever others do to the account.
 * The same for addresses that have no account, so that the limits tell nothing.
 */
export class SignInGuard {
  constructor(
    private readonly limiter: Limiter,
    private readonly knownSources: KnownSources,
  ) {}

  /** @throws AppError `too_many_requests` with the seconds after which this try will be heard */
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
