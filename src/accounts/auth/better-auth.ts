import { passkey } from '@better-auth/passkey';
import { betterAuth } from 'better-auth';
import { Kysely, PostgresDialect } from 'kysely';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../../core/config.js';
import { isUnreachableDatabase } from '../../core/errors.js';
import type { MailTemplates } from '../../mail/mail-templates.js';
import type { MailedLinks } from './mailed-links.js';
import type { Passkeys } from './passkeys.js';
import type { SessionRules } from './session-rules.js';

export const authPath = '/api/auth';

/** Passes the client address that Express determined to better-auth. A client's own header of this name is overwritten. */
export const clientAddressHeader = 'x-client-address';

const day = 24 * 60 * 60;
/** A session ends after a week without use; the database ends it 30 days after sign-in (trigger `bound_session`). */
export const sessionIdleSeconds = 7 * day;
export const linkSeconds = 60 * 60;
/** How long after sign-in a session may change the address and the passkeys, or delete the account. */
export const recentSeconds = 10 * 60;

interface BetterAuthServices {
  config: Config;
  secret: string;
  pool: Pool;
  log: Logger;
  links: MailedLinks;
  templates: MailTemplates;
  rules: SessionRules;
  passkeys: Passkeys;
}

export type BetterAuth = ReturnType<typeof createBetterAuth>;

/**
 * Email with password, and passkeys. No other plugin of better-auth: each would be one more way in.
 * Its rate limiter is off: it counts successes too, and all users of an address together. Its CSRF check is off: it refuses a cookie
 * without an Origin header, as curl sends it. `auth-routes.ts` does both before a request gets here.
 */
export function createBetterAuth({ config, secret, pool, log, links, templates, rules, passkeys }: BetterAuthServices) {
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
      // better-auth counts UTF-16 units, up to three per character. `auth.args.ts` limits the characters.
      maxPasswordLength: 3 * 128,
      // If addresses must be verified, a sign-up does not reveal whether the address was taken. The owner gets a mail.
      autoSignIn: !config.requireVerifiedEmail,
      requireEmailVerification: config.requireVerifiedEmail,
      onExistingUserSignUp: templates.alreadySignedUp,
      sendResetPassword: templates.resetPassword,
      resetPasswordTokenExpiresIn: linkSeconds,
      revokeSessionsOnPasswordReset: true,
    },
    emailVerification: {
      sendOnSignUp: true,
      sendVerificationEmail: async ({ user, url }) => templates.verifyEmail({ user, url: await once(user, url) }),
      expiresIn: linkSeconds,
      autoSignInAfterVerification: false,
    },
    // Passkey challenges and password reset links are stored as hashes, so a reader of the table cannot use them.
    verification: { storeIdentifier: 'hashed' },
    session: {
      expiresIn: sessionIdleSeconds,
      // `BetterAuthAdapter.sessionOf` prolongs sessions. better-auth would also prolong a replaced session that is about to end.
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
        authenticatorSelection: { userVerification: 'required' },
        registration: passkeys.registration,
        authentication: passkeys.authentication,
      }),
    ],
    hooks: { after: rules.afterEndpoint },
    databaseHooks: rules.databaseHooks,
    rateLimit: { enabled: false },
    // Internal errors go to Express' error handler, which answers 503 while the database is down and 500 for a bug.
    onAPIError: { throw: true },
    advanced: {
      // Browsers accept a `__Host-` cookie only from this host, over https and for all paths.
      cookiePrefix: isSecure ? '__Host-parcel' : 'parcel',
      useSecureCookies: false, // would add a second prefix
      defaultCookieAttributes: { secure: isSecure },
      disableCSRFCheck: true,
      disableOriginCheck: false,
      ipAddress: { ipAddressHeaders: [clientAddressHeader] },
    },
    telemetry: { enabled: false },
    logger: {
      level: 'warn',
      // It warns of callers' mistakes, such as a mistyped password, and reports bad passkeys as errors. Both are logged as info.
      log: (level, message, ...details) => {
        const error: Error | undefined = details.find((detail) => detail instanceof Error);
        log[level === 'error' && !isTaken(error) && !isBadPasskey(message, error) ? 'error' : 'info']({ error }, `better-auth: ${message}`);
      },
    },
  });
}

type Fault = Error & { constraint?: unknown; severity?: unknown };

/** The error of the later of two concurrent sign-ups or changes to one address. */
export const isTakenAddress = (error?: Fault): boolean => error?.constraint === 'user_email_unique';

const isTaken = (error?: Fault): boolean => isTakenAddress(error) || error?.constraint === 'passkey_credential_unique';

/** An error of passkey verification is the caller's fault unless it comes from the database. */
const isBadPasskey = (message: string, error?: Fault): boolean =>
  message.startsWith('Failed to verify ') && error?.severity === undefined && !isUnreachableDatabase(error);
