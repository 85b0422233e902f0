import type { Request, Response } from 'express';
import type { DataSource } from 'typeorm';
import { checkBody } from '../../core/check-body.js';
import { AppError } from '../../core/errors.js';
import { invalidRequest } from '../../core/parameters.js';
import { Account } from '../account.js';
import { type Access, AccountAccess, type KeptIds } from './account-access.js';
import * as body from './auth.args.js';
import { isTakenAddress } from './better-auth.js';
import type { Answer, BetterAuthAdapter } from './better-auth-adapter.js';
import type { MailedLinks, OpenLink } from './mailed-links.js';

interface LinkServices {
  dataSource: DataSource;
  adapter: BetterAuthAdapter;
  links: MailedLinks;
  refuseCommonPassword(password: string): void;
  /** Runs work while nobody can sign in to the account or add a passkey or a link to it. */
  withPasswordLock<T>(req: Request, accountId: string | null, work: () => Promise<T>): Promise<T>;
}

/** A link whose opener is asked which existing access to keep. */
interface Review extends OpenLink {
  has: Access;
}

const confirmPage = '/console/verify-email';

/**
 * Handlers of mailed links. An attacker may have signed up with the address of another person, who then opens the link. Therefore a
 * password reset revokes all other access, and the first verification of an address asks which access to keep.
 */
export function linkHandlers({ dataSource, adapter, links, refuseCommonPassword, withPasswordLock }: LinkServices) {
  const access = new AccountAccess(dataSource);
  return {
    async openReset(req: Request<{ token: string }>, res: Response): Promise<void> {
      if (req.query.callbackURL !== undefined) return adapter.send(res, await adapter.ask(req));
      const accountId = await adapter.ownerOfResetLink(req.params.token);
      if (!accountId) throw new AppError('not_found', 'This link no longer works.');
      const { passkeys, tokens } = await access.list(accountId);
      res.set('cache-control', 'no-store').json({ status: true, passkeys, tokens });
    },

    async reset(req: Request, res: Response): Promise<void> {
      const { newPassword, token, keepPasskeys = [], keepTokens = [] } = checkBody(body.ResetPasswordBody, req.body);
      refuseCommonPassword(newPassword);
      const accountId = await adapter.ownerOfResetLink(token);
      res.locals.accountId = accountId ?? undefined;
      let taken: object = {};
      const answer = await withPasswordLock(req, accountId, async () => {
        // Checked again under the lock: a concurrent request may have used the link.
        const owner = accountId && (await adapter.ownerOfResetLink(token));
        if (owner) taken = await access.recover(owner, { passkeys: keepPasskeys, tokens: keepTokens });
        return adapter.ask(req, { newPassword, token });
      });
      adapter.send(res, answer.status === 200 ? { ...answer, json: { status: true, ...taken } } : answer);
    },

    /** A GET has no choices, so a link that needs some redirects to the page that asks. That page sends a POST with the choices. */
    async confirm(req: Request, res: Response, input: body.ConfirmBody): Promise<void> {
      const { token, callbackURL } = input;
      const link = await links.find(token);
      const signedInId = (await adapter.sessionOf(req))?.user.id;
      if (input.reset) {
        if (link && link.purpose !== 'verify') throw invalidRequest([{ parameter: 'reset', message: 'is not for a change of address' }]);
        const accountId = link && (await links.use(token)) ? link.userId : null;
        if (accountId)
          return adapter.send(res, answerOf(200, { status: true, user: null, resetToken: await adapter.createResetLink(accountId) }));
      }
      const review = link && signedInId !== link.userId ? await reviewOf(link, signedInId) : null;
      if (review && isUnanswered(review.has, input)) return adapter.send(res, question(review, token, callbackURL));
      const open = (authToken: string | null) => {
        const query = new URLSearchParams({ token: authToken ?? 'used', ...(callbackURL && { callbackURL }) });
        return adapter.ask(req, undefined, `${req.path}?${query}`);
      };
      const use = review ? () => useAndRevoke(review.userId, input) : () => links.use(token, signedInId);
      const answer = review ? withPasswordLock(req, review.userId, async () => open(await use())) : open(await use());
      // Another account may have taken the address after the link was mailed.
      adapter.send(res, await answer.catch((error) => (isTakenAddress(error) ? open(null) : Promise.reject(error))));
    },
  };

  /** Null if nothing needs to be asked: a signed-in owner sees their access in the console, and a verified address was proved before. */
  async function reviewOf(link: OpenLink, signedInId: string | undefined): Promise<Review | null> {
    if (link.purpose === 'confirm change' || (link.purpose === 'change' && signedInId)) return null;
    const user = await dataSource.getRepository(Account).findOneBy({ id: link.userId });
    if (!user || (link.purpose === 'verify' && user.emailVerified)) return null;
    const has = await access.list(link.userId);
    // A change of address always ends all sessions.
    return { ...link, has: link.purpose === 'change' ? { ...has, sessions: [] } : has };
  }

  /** In one transaction, so that of two concurrent clicks only one revokes anything. */
  function useAndRevoke(accountId: string, { token, keepPasskeys = [], keepTokens = [], keepSessions = [] }: body.ConfirmBody) {
    return dataSource.transaction(async (manager) => {
      const authToken = await links.use(token, undefined, manager);
      if (authToken) await access.revokeExcept(manager, accountId, { passkeys: keepPasskeys, tokens: keepTokens, sessions: keepSessions });
      return authToken;
    });
  }
}

/** Whether the account has passkeys, tokens or sessions for which the request names no choice. */
function isUnanswered(has: Access, { keepPasskeys, keepTokens, keepSessions }: body.ConfirmBody): boolean {
  const kept: Partial<KeptIds> = { passkeys: keepPasskeys, tokens: keepTokens, sessions: keepSessions };
  return (Object.keys(has) as (keyof Access)[]).some((kind) => has[kind].length > 0 && kept[kind] === undefined);
}

function question({ email, purpose, has }: Review, token: string, callbackURL: string | undefined): Answer {
  const page = `${confirmPage}?${new URLSearchParams({ token, ...(callbackURL && { return: callbackURL }) })}`;
  if (callbackURL !== undefined) return { ...answerOf(302, undefined), headers: new Headers({ location: page }) };
  const message =
    'These could open the account before this address was confirmed. Name those to keep: keepPasskeys, keepTokens, keepSessions.';
  return { ...answerOf(409, { message, email, mayReset: purpose === 'verify', ...has }), code: 'CHOICE_NEEDED' };
}

const answerOf = (status: number, json: unknown): Answer => ({ status, headers: new Headers(), json, code: null, signedInUserId: null });
