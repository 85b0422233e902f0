import { passkey } from '@better-auth/passkey';
import { betterAuth } from 'better-auth';
import { Kysely, PostgresDialect } from 'kysely';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../../core/config.js';
import type { MailTemplates } from '../../mail/mail-templates.js';
import type { MailedLinks } from './mailed-links.js';
import type { SessionRules } from './session-rules.js';

export const authPath = '/api/auth';

/** Where the address that Express determined is handed to better-auth; a client's own header of this name is overwritten. */
export const clientAddressHeader = 'x-client-address';

const day = 24 * 60 * 60;
/** A session ends after a week without use; the database ends it 30 days after sign-in (trigger `bound_session`). */
export const sessionIdleSeconds = 7 * day;
const linkSeconds = 60 * 60;
/** How long after a sign-in a session may change what opens the account: its address, its passkeys, its end. */
export const recentSeconds = 10 * 60;

interface AuthParts {
  config: Config;
  secret: string;
  pool: Pool;
  log: Logger;
  links: MailedLinks;
  templates: MailTemplates;
  rules: SessionRules;
}

export type BetterAuth = ReturnType<typeof createBetterAuth>;

/**
 * E-mail with password, and passkeys; every further plugin of better-auth would be one more way in.
 * Its rate limiter is off, since it counts successes too and everybody behind one address together; so is its CSRF check, since
 * it refuses a cookie without an Origin header, as curl sends it. `auth-routes.ts` does both before a request gets here.
 */
export function createBetterAuth({ config, secret, pool, log, links, templates, rules }: AuthParts) {
  const baseUrl = new URL(config.baseUrl);
  const isSecure = baseUrl.protocol === 'https:';
  const once = ({ id }: { id: string }, url: string) => links.replaceToken(url, id, linkSeconds);
  return betterAuth({
    appName: 'Parcel Records',
    baseURL: baseUrl.origin,
    basePath: authPath,
    secret,
    trustedOrigins: [baseUrl.origin],
    database: {
      db: new Kysely<never>({ dialect: new PostgresDialect({ pool }) }),
      type: 'postgres',
      schemaName: 'auth',
      transaction: true,
    },
    user: {
      additionalFields: {
        role: { type: 'string', required: false, defaultValue: 'user', input: false },
        banned: { type: 'boolean', required: false, defaultValue: false, input: false, returned: false },
        deletedAt: { type: 'date', required: false, input: false, returned: false },
      },
      changeEmail: {
        enabled: true,
        sendChangeEmailConfirmation: async ({ user, newEmail, url }) =>
          templates.confirmChangeOfEmail({ user, newEmail, url: await once(user, url) }),
      },
      deleteUser: { enabled: true, beforeDelete: rules.beforeDelete },
    },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 8,
      // It counts UTF-16 units, of which a character may have three. `accounts.args.ts` bounds the characters.
      maxPasswordLength: 3 * 128,
      // Where addresses must be verified, a sign-up does not tell whether the address was taken: its owner is told by mail.
      autoSignIn: !config.requireVerifiedEmail,
      requireEmailVerification: config.requireVerifiedEmail,
      onExistingUserSignUp: templates.alreadySignedUp,
      sendResetPassword: templates.resetPassword,
      resetPasswordTokenExpiresIn: linkSeconds,
      revokeSessionsOnPasswordReset: true,
      onPasswordReset: rules.passwordWasReset,
    },
    emailVerification: {
      sendOnSignUp: true,
      sendVerificationEmail: async ({ user, url }) => templates.verifyEmail({ user, url: await once(user, url) }),
      expiresIn: linkSeconds,
      autoSignInAfterVerification: false,
    },
    // A passkey's challenge and the link to a new password are kept as hashes: who reads the table cannot use them.
    verification: { storeIdentifier: 'hashed' },
    session: {
      expiresIn: sessionIdleSeconds,
      // `BetterAuthAdapter.sessionOf` prolongs them: better-auth would also prolong one that was replaced and ends in a moment.
      disableSessionRefresh: true,
      freshAge: recentSeconds,
      cookieCache: { enabled: false },
      additionalFields: { renewalDue: { type: 'boolean', required: false, defaultValue: false, input: false } },
    },
    plugins: [
      passkey({
        rpID: baseUrl.hostname,
        rpName: 'Parcel Records',
        origin: baseUrl.origin,
        advanced: { webAuthnChallengeCookie: 'passkey_challenge' },
      }),
    ],
    hooks: { after: rules.afterEndpoint },
    databaseHooks: rules.databaseHooks,
    rateLimit: { enabled: false },
    // Faults of ours go to Express' error handler, which answers 503 while the database is away and 500 for a bug.
    onAPIError: { throw: true },
    advanced: {
      // Browsers take a cookie of this prefix from this host only, by https, and for all paths.
      cookiePrefix: isSecure ? '__Host-parcel' : 'parcel',
      useSecureCookies: false, // it would put another prefix before it
      defaultCookieAttributes: { secure: isSecure },
      disableCSRFCheck: true,
      disableOriginCheck: false,
      ipAddress: { ipAddressHeaders: [clientAddressHeader] },
    },
    telemetry: { enabled: false },
    logger: {
      level: 'warn',
      // It warns of callers' mistakes, a mistyped password for one, so warnings are logged as info.
      log: (level, message, ...details) => {
        const error: Error | undefined = details.find((detail) => detail instanceof Error);
        log[level === 'error' && !isTakenAddress(error) ? 'error' : 'info']({ error }, `better-auth: ${message}`);
      },
    },
  });
}

/** What Postgres says to the later of two who take one address. */
export const isTakenAddress = (error?: Error & { constraint?: unknown }): boolean => error?.constraint === 'user_email_unique';
