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
 * Our rules for sessions and accounts, as better-auth hooks.
 * @param hasRunningPlan an account with a running plan cannot be deleted, because its owner could no longer use or cancel the plan
 */
export function sessionRules(
  config: Pick<Config, 'requireVerifiedEmail'>,
  accounts: AccountStore,
  sessions: SessionStore,
  hasRunningPlan: (accountId: string) => Promise<boolean>,
) {
  return {
    /** A sign-in ends the session of the request's cookie: the new cookie replaces it, so no later sign-out could end it. */
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
            // Reads on better-auth's connection: at sign-up the row is visible only inside its transaction.
            const user = (await ctx?.context.internalAdapter.findUserById(userId)) as
              | { banned?: boolean; deletedAt?: Date | null; emailVerified: boolean }
              | null
              | undefined;
            if (user?.banned || user?.deletedAt) {
              throw new APIError('FORBIDDEN', { code: 'ACCOUNT_CLOSED', message: 'This account is closed.' });
            }
            // better-auth checks this only at a sign-in by password.
            if (config.requireVerifiedEmail && ctx?.path === byPasskey && !user?.emailVerified) {
              const message = 'Verify your email address first: open the link in our email, or choose a new password.';
              throw new APIError('FORBIDDEN', { code: 'EMAIL_UNVERIFIED', message });
            }
          },
        },
        delete: {
          async after({ userId, createdAt, expiresAt }: { userId: string; createdAt: Date; expiresAt: Date }) {
            // better-auth also deletes expired sessions, such as a replaced one after its 30 seconds. That is not a sign-out.
            if (expiresAt > new Date()) await sessions.endRenewals(userId, createdAt);
          },
        },
      },
      user: {
        update: {
          async before(data: { email?: string }) {
            // An address only changes when a link mailed to the new address is opened, so the new address is verified.
            if (data.email !== undefined) return { data: { ...data, emailVerified: true } };
          },
          async after(user: { id: string; email: string }, ctx: GenericEndpointContext | null) {
            if (ctx?.path !== '/verify-email' || !changesAddress(ctx.query?.token)) return;
            await accounts.emailHasChanged(user.id, user.email);
            await sessions.endAll(user.id, ctx.context.session?.session.id ?? null);
          },
        },
        // Keeps the row, because the ledger refers to it. `beforeDelete` has removed the personal data.
        delete: { before: async () => false },
      },
    },

    /**
     * Does the whole deletion in one transaction before better-auth begins. better-auth would delete sessions and password one by one, and an
     * error in between would leave an account that is not deleted and that its owner cannot enter.
     */
    async beforeDelete({ id }: { id: string }) {
      if (await hasRunningPlan(id)) {
        throw new APIError('CONFLICT', { code: 'PLAN_RUNNING', message: 'Cancel the paid plan under Billing first.' });
      }
      await accounts.close(id);
    },
  };
}
