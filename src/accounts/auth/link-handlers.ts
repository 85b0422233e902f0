import type { Request, Response } from 'express';
import type { DataSource } from 'typeorm';
import { checkBody } from '../../core/check-body.js';
import { AppError } from '../../core/errors.js';
import { invalidRequest } from '../../core/parameters.js';
import { UserEntity } from '../identity/user.entity.js';
import type { Access, AccountAccess, Kept } from './account-access.js';
import * as body from './auth.args.js';
import { isTakenAddress } from './better-auth.js';
import type { Answer, BetterAuthAdapter } from './better-auth-adapter.js';
import type { MailedLinks, OpenLink } from './mailed-links.js';

interface LinkHandlerParts {
  dataSource: DataSource;
  adapter: BetterAuthAdapter;
  links: MailedLinks;
  access: AccountAccess;
  refuseCommonPassword(password: string): void;
  /** Does something while nobody signs in to the account and nothing is added to what opens it. */
  alone<T>(req: Request, accountId: string | null, work: () => Promise<T>): Promise<T>;
}

/** A link whose opener is asked what stays of what the account has already. */
interface Review extends OpenLink {
  has: Access;
}

const confirmPage = '/console/verify-email';

/**
 * What mailed links do. Somebody may have signed up with the address of another person, who then opens the link: so a new password drops
 * all that opens the account beside it, and a first proof of the address asks about it.
 */
export function linkHandlers({ dataSource, adapter, links, access, refuseCommonPassword, alone }: LinkHandlerParts) {
  return {
    async openReset(req: Request<{ token: string }>, res: Response): Promise<void> {
      if (req.query.callbackURL !== undefined) return adapter.send(res, await adapter.ask(req));
      const accountId = await adapter.ownerOfResetLink(req.params.token);
      if (!accountId) throw new AppError('not_found', 'This link does not work any more.');
      const { passkeys, tokens } = await access.list(accountId);
      res.set('cache-control', 'no-store').json({ status: true, passkeys, tokens });
    },

    async reset(req: Request, res: Response): Promise<void> {
      const { newPassword, token, keepPasskeys = [], keepTokens = [] } = checkBody(body.ResetPasswordBody, req.body);
      refuseCommonPassword(newPassword);
      const accountId = await adapter.ownerOfResetLink(token);
      res.locals.accountId = accountId ?? undefined;
      let taken: object = {};
      const answer = await alone(req, accountId, async () => {
        // Of two who use the link at once, the later one finds it used.
        const owner = accountId && (await adapter.ownerOfResetLink(token));
        if (owner) taken = await access.takeBack(owner, { passkeys: keepPasskeys, tokens: keepTokens });
        return adapter.ask(req, { newPassword, token });
      });
      adapter.send(res, answer.status === 200 ? { ...answer, json: { status: true, ...taken } } : answer);
    },

    /** By GET without choices, so a link with something to ask leads to the page that asks; by POST with them. */
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
      const use = review ? () => useAndDrop(review.userId, input) : () => links.use(token, signedInId);
      const answer = review ? alone(req, review.userId, async () => open(await use())) : open(await use());
      // Somebody else may have got the address after the link to it was mailed.
      adapter.send(res, await answer.catch((error) => (isTakenAddress(error) ? open(null) : Promise.reject(error))));
    },
  };

  /** Somebody who is signed in to the account sees in the console what it has. A verified address was proved before. */
  async function reviewOf(link: OpenLink, signedInId: string | undefined): Promise<Review | null> {
    if (link.purpose === 'confirm change' || (link.purpose === 'change' && signedInId)) return null;
    const user = await dataSource.getRepository(UserEntity).findOneBy({ id: link.userId });
    if (!user || (link.purpose === 'verify' && user.emailVerified)) return null;
    const has = await access.list(link.userId);
    // A change of address ends all sessions in any case.
    return { ...link, has: link.purpose === 'change' ? { ...has, sessions: [] } : has };
  }

  /** In one transaction, so that of two clicks only one drops anything. */
  function useAndDrop(accountId: string, { token, keepPasskeys = [], keepTokens = [], keepSessions = [] }: body.ConfirmBody) {
    return dataSource.transaction(async (manager) => {
      const authToken = await links.use(token, undefined, manager);
      if (authToken) await access.drop(manager, accountId, { passkeys: keepPasskeys, tokens: keepTokens, sessions: keepSessions });
      return authToken;
    });
  }
}

/** Whether the account has something of a kind, and nothing is said of what stays of it. */
function isUnanswered(has: Access, { keepPasskeys, keepTokens, keepSessions }: body.ConfirmBody): boolean {
  const kept: Partial<Kept> = { passkeys: keepPasskeys, tokens: keepTokens, sessions: keepSessions };
  return (Object.keys(has) as (keyof Access)[]).some((kind) => has[kind].length > 0 && kept[kind] === undefined);
}

function question({ email, purpose, has }: Review, token: string, callbackURL: string | undefined): Answer {
  const page = `${confirmPage}?${new URLSearchParams({ token, ...(callbackURL && { return: callbackURL }) })}`;
  if (callbackURL !== undefined) return { ...answerOf(302, undefined), headers: new Headers({ location: page }) };
  const message =
    'These could open the account before this address was confirmed. Say which of these stay: keepPasskeys, keepTokens, keepSessions.';
  return { ...answerOf(409, { message, email, mayReset: purpose === 'verify', ...has }), code: 'CHOICE_NEEDED' };
}

const answerOf = (status: number, json: unknown): Answer => ({ status, headers: new Headers(), json, code: null, signedInUserId: null });
