import type { GenericEndpointContext } from 'better-auth';
import { APIError, createAuthMiddleware } from 'better-auth/api';
import type { Config } from '../../core/config.js';
import type { AccountStore } from '../operators/account.store.js';
import type { SessionStore } from '../sessions/session.store.js';
import { changesAddress } from './mailed-links.js';

const byPasskey = '/passkey/verify-authentication';
const opensSession = new Set(['/sign-in/email', '/sign-up/email', byPasskey]);

export type SessionRules = ReturnType<typeof sessionRules>;

/**
 * What must happen to sessions and accounts around better-auth's operations, in the form of its hooks.
 * @param hasRunningPlan whether an account goes on paying; it is not deleted then, since its owner could no longer use or cancel the plan
 */
export function sessionRules(
  config: Pick<Config, 'requireVerifiedEmail'>,
  accounts: AccountStore,
  sessions: SessionStore,
  hasRunningPlan: (accountId: string) => Promise<boolean>,
) {
  return {
    /** Signing in again ends the session that the request's cookie named: the new cookie replaces it, so no sign-out could end it later. */
    afterEndpoint: createAuthMiddleware(async (ctx) => {
      const opened = ctx.context.newSession;
      if (!opened || !opensSession.has(ctx.path)) return;
      const old = await ctx.getSignedCookie(ctx.context.authCookies.sessionToken.name, ctx.context.secret);
      if (old && old !== opened.session.token) await ctx.context.internalAdapter.deleteSession(old);
    }),

    databaseHooks: {
      session: {
        create: {
          async before({ userId }: { userId: string }, ctx: GenericEndpointContext | null) {
            // Through better-auth's own connection: at sign-up the row is visible only inside its transaction.
            const user = (await ctx?.context.internalAdapter.findUserById(userId)) as
              | { banned?: boolean; deletedAt?: Date | null; emailVerified: boolean }
              | null
              | undefined;
            if (user?.banned || user?.deletedAt) {
              throw new APIError('FORBIDDEN', { code: 'ACCOUNT_CLOSED', message: 'This account is closed.' });
            }
            // better-auth asks for this at a sign-in by password only.
            if (config.requireVerifiedEmail && ctx?.path === byPasskey && !user?.emailVerified) {
              const message = 'Verify your e-mail address first: open the link in our mail, or choose a new password.';
              throw new APIError('FORBIDDEN', { code: 'EMAIL_UNVERIFIED', message });
            }
          },
        },
        delete: {
          async after({ userId, createdAt, expiresAt }: { userId: string; createdAt: Date; expiresAt: Date }) {
            // better-auth deletes what had expired by itself, too, as a replaced token has after its half minute: nobody signs out then.
            if (expiresAt > new Date()) await sessions.endRenewals(userId, createdAt);
          },
        },
      },
      user: {
        update: {
          async before(data: { email?: string }) {
            // An address changes only by opening a link that was mailed to the new one, so the new one is verified.
            if (data.email !== undefined) return { data: { ...data, emailVerified: true } };
          },
          async after(user: { id: string; email: string }, ctx: GenericEndpointContext | null) {
            if (ctx?.path !== '/verify-email' || !changesAddress(ctx.query?.token)) return;
            await accounts.emailHasChanged(user.id, user.email);
            await sessions.endAll(user.id, ctx.context.session?.session.id ?? null);
          },
        },
        // The row is kept, to which the ledger refers: `beforeDelete` has taken everything personal out of it.
        delete: { before: async () => false },
      },
    },

    /**
     * All of a deletion is done here, in one transaction, before better-auth begins: it would first delete sessions and password, each by
     * itself, and a fault after that would leave an account that is not deleted, and that its owner cannot enter.
     */
    async beforeDelete({ id }: { id: string }) {
      if (await hasRunningPlan(id)) {
        throw new APIError('CONFLICT', { code: 'PLAN_RUNNING', message: 'Cancel the paid plan under Billing first.' });
      }
      await accounts.close(id);
    },

    /**
     * Whoever opened the mailed link owns the address. If it was not verified before, somebody else may have signed up with it, so
     * sessions, passkeys and tokens from before are removed.
     */
    async passwordWasReset({ user }: { user: { id: string; emailVerified: boolean } }) {
      if (!user.emailVerified) await accounts.resetForVerifiedOwner(user.id);
    },
  };
}
