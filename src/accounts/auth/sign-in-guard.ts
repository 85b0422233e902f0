import type { Request } from 'express';
import { addressOf } from '../../core/client-address.js';
import { emailKey } from '../identity/email-key.js';
import { type Limit, type Limiter, refuseIfLimited, tooManyRequests } from '../limits/limiter.js';
import type { KnownSources } from '../sessions/recognized-devices.js';
import type { Answer } from './better-auth-adapter.js';

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

  /**
   * Asks whether the password is right. From then on the attempt counts as wrong, until it proves right: of a burst no more are heard
   * than may be wrong.
   * @throws AppError `too_many_requests` with the seconds after which an attempt will be accepted; also for a wrong password from an
   * unknown source while an attack is under way, which is not told that it was wrong
   */
  async hear(req: Request, email: string, known: string | null, ask: () => Promise<Answer>): Promise<Answer> {
    const account = `failed sign-in to ${emailKey(email)}`;
    const address = `failed sign-in by ${addressOf(req)}`;
    const success = `sign-in to ${emailKey(email)}`;
    const pair = `${account} from ${known ?? addressOf(req)}`;
    const failure = [account, address, pair];
    const own: Limit[] = [{ key: success, ...successLimit }, ...perSourceLimits.map((limit) => ({ key: pair, ...limit }))];
    const attacked = [
      { key: account, ...perAccountLimit },
      { key: address, ...perAddressLimit },
    ];
    const underAttack = [...own, { key: pair, ...underAttackLimit }];
    const begin = (limits: Limit[]) => this.limiter.tryBegin([...failure, success], limits);

    let begun = await begin(known ? own : [...own, ...attacked]);
    const isAttacked = begun.wait > 0 && !known && (await this.limiter.retryAfterSeconds(attacked)) > 0;
    if (isAttacked) begun = await begin(underAttack);
    refuseIfLimited(begun.wait);
    const answer = await this.limiter.end(begun, ask, ({ status, signedInUserId }) => {
      if (status === 401) return failure;
      return signedInUserId ? [success] : [];
    });
    if (isAttacked && answer.status === 401) throw tooManyRequests(await this.limiter.retryAfterSeconds(underAttack));
    return answer;
  }
}
