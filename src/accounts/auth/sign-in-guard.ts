import type { Request } from 'express';
import { addressOf } from '../../core/client-address.js';
import { emailKey } from '../identity/email-key.js';
import { type Limit, type Limiter, refuseIfLimited, tooManyRequests } from '../limits/limiter.js';
import type { RecognizedDevices } from '../sessions/recognized-devices.js';
import type { Answer } from './better-auth-adapter.js';

const minute = 60;
const window = 15 * minute;
/** Per account and source: enough for typing errors, too few for guessing. */
const perSourceLimits = [
  { max: 3, withinSeconds: 10 },
  { max: 10, withinSeconds: window },
];
/**
 * Per address over all accounts, and per account over all addresses. Beyond these limits we assume an attack: each pair of source and
 * account has one attempt per window and is not told if the password was wrong.
 */
const perAddressLimit = { max: 50, withinSeconds: window };
const perAccountLimit = { max: 20, withinSeconds: window };
const underAttackLimit = { max: 1, withinSeconds: window };
/** Correct passwords per account. Each costs as much hashing as a wrong one. */
const successLimit = { max: 60, withinSeconds: minute };

/**
 * Limits password guessing without locking people out of their accounts.
 * - On a recognized device (`RecognizedDevices`), only that device's failures count.
 * - From any other source the failures of its address and of the account count, too. During an attack such a source still has one attempt
 *   per window, so an owner can sign in from a new address, or from behind an attacker's address, with the right password.
 * The limits also apply to email addresses without an account, so they don't reveal which addresses have one.
 */
export class SignInGuard {
  constructor(
    private readonly limiter: Limiter,
    private readonly recognizedDevices: RecognizedDevices,
  ) {}

  /** The recognized browser or address of the request; null if the account was never used from it. */
  recognizedSource(req: Request, email: string): Promise<string | null> {
    return this.recognizedDevices.find(req, email);
  }

  /**
   * Checks a password. The attempt counts as a failure until it succeeds, so a burst cannot exceed the limits.
   * @param known the recognized source, or null
   * @throws AppError `too_many_requests` with the seconds after which an attempt will be accepted; during an attack also for a wrong
   * password from a new source, to hide that it was wrong
   */
  async attempt(req: Request, email: string, known: string | null, ask: () => Promise<Answer>): Promise<Answer> {
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
