import type { Request } from 'express';
import { addressOf } from '../../core/client-address.js';
import { type Limiter, refuseIfLimited, tooManyRequests } from '../limits/limiter.js';
import { type Limit, limits } from '../limits/limits.js';
import type { Answer } from './better-auth-adapter.js';

/**
 * Limits password guessing without locking people out of their accounts.
 * - On a recognized device (`RecognizedDevices`), only that device's failures count.
 * - From any other source the failures of its address and of the account count, too. During an attack such a source still has one attempt
 *   per window, so an owner can sign in from a new address, or from behind an attacker's address, with the right password.
 * The limits also apply to email addresses without an account, so they don't reveal which addresses have one.
 */
export class SignInGuard {
  constructor(private readonly limiter: Limiter) {}

  /**
   * Checks a password. The attempt counts as a failure until it succeeds, so a burst cannot exceed the limits.
   * @param known the recognized browser or address of the request, or null
   * @throws AppError `too_many_requests` with the seconds after which an attempt will be accepted; during an attack also for a wrong
   * password from a new source, to hide that it was wrong
   */
  async attempt(req: Request, email: string, known: string | null, ask: () => Promise<Answer>): Promise<Answer> {
    const source = known ?? addressOf(req);
    const success = limits.correctPasswords(email);
    const own = [success, ...limits.wrongPasswords(email, source)];
    const attacked = [limits.wrongPasswordsOfAccount(email), limits.wrongPasswordsOfAddress(addressOf(req))];
    const underAttack = [...own, limits.duringAttack(email, source)];
    const failure = [...attacked, limits.duringAttack(email, source)].map(({ key }) => key);
    const begin = (within: Limit[]) => this.limiter.tryBegin([...failure, success.key], within);

    let begun = await begin(known ? own : [...own, ...attacked]);
    const isAttacked = begun.wait > 0 && !known && (await this.limiter.retryAfterSeconds(attacked)) > 0;
    if (isAttacked) begun = await begin(underAttack);
    refuseIfLimited(begun.wait);
    const answer = await this.limiter.end(begun, ask, ({ status, signedInUserId }) => {
      if (status === 401) return failure;
      return signedInUserId ? [success.key] : [];
    });
    if (isAttacked && answer.status === 401) throw tooManyRequests(await this.limiter.retryAfterSeconds(underAttack));
    return answer;
  }
}
