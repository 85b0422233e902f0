import type { Request, RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Config } from '../core/config.js';
import type { Principal } from '../core/context.js';
import type { Database } from '../database/database.js';
import type { StatementRunner } from '../database/statement-runner.js';
import type { Task } from '../jobs/task.js';
import { createMailTemplates } from '../mail/mail-templates.js';
import type { Mail } from '../mail/mail-transport.js';
import { queueMail } from '../mail/send-mail.js';
import { AccountAccess } from './auth/account-access.js';
import { authRoutes } from './auth/auth-routes.js';
import { createBetterAuth } from './auth/better-auth.js';
import { BetterAuthAdapter } from './auth/better-auth-adapter.js';
import { MailedLinks } from './auth/mailed-links.js';
import { PasskeyStore } from './auth/passkey.store.js';
import { passkeyRules } from './auth/passkeys.js';
import { PasswordLock } from './auth/password-lock.js';
import { sessionRules } from './auth/session-rules.js';
import { SignInGuard } from './auth/sign-in-guard.js';
import { authSecretsOf } from './identity/auth-secret.js';
import { emailKey } from './identity/email-key.js';
import { Limiter } from './limits/limiter.js';
import { TrialLimits } from './limits/trial-limits.js';
import { VisitorLimits } from './limits/visitor-limits.js';
import { AccountStore } from './operators/account.store.js';
import { AccountsResolver } from './operators/accounts.resolver.js';
import { pruneAccounts } from './prune-accounts.js';
import { BrowserCookie } from './sessions/browser-cookie.js';
import { RecognizedDevices } from './sessions/recognized-devices.js';
import { SessionStore } from './sessions/session.store.js';

export interface Accounts {
  /** Serves `/api/auth`; to be mounted there before any body parser. */
  authHandler: RequestHandler;
  /** Who sent the request, by its session cookie. Two queries, none without a cookie. */
  principalOf(request: Request): Promise<Principal>;
  /** The token in the request's session cookie, if we signed it. No query, so the session may have ended. */
  signedSessionOf(request: Request): string | undefined;
  trialLimits: TrialLimits;
  /** Accounts whose email address contains a text. */
  idsByEmail(text: string): Promise<string[]>;
  resolvers: object[];
  tasks: Task[];
}

interface AccountsParts {
  config: Config;
  database: Pick<Database, 'controlPool' | 'controlDataSource'>;
  log: Logger;
  /** Whether an account has a subscription that will be charged again. */
  hasRunningPlan(accountId: string): Promise<boolean>;
}

/** Builds the accounts room. It uses the control pool, so people can sign in while API traffic takes every connection of the main pool. */
export function createAccounts({ config, database, log, hasRunningPlan }: AccountsParts): Accounts {
  const { controlPool: pool, controlDataSource: dataSource } = database;
  const limiter = new Limiter(pool);
  const sessions = new SessionStore(dataSource);
  const accounts = new AccountStore(dataSource);
  const links = new MailedLinks(dataSource);
  const passkeys = new PasskeyStore(dataSource);
  const secrets = authSecretsOf(config);
  const [secret, previousSecret] = secrets;
  const browserCookie = new BrowserCookie(config, secrets);
  const recognizedDevices = new RecognizedDevices(dataSource, browserCookie);
  const auth = createBetterAuth({
    config,
    secret,
    pool,
    log,
    links,
    templates: createMailTemplates(config, limitedMail(pool, limiter, log)),
    rules: sessionRules(config, accounts, sessions, hasRunningPlan),
    passkeyRules: passkeyRules(passkeys),
  });
  const adapter = new BetterAuthAdapter({
    auth,
    sessions,
    origin: new URL(config.baseUrl).origin,
    secret,
    previousSecret,
  });
  const guard = new SignInGuard(limiter, recognizedDevices);

  return {
    authHandler: authRoutes({
      config,
      log,
      dataSource,
      adapter,
      access: new AccountAccess(dataSource),
      browserCookie,
      limiter,
      visitors: new VisitorLimits(limiter, browserCookie),
      guard,
      recognizedDevices,
      links,
      passkeys,
      passwordLock: new PasswordLock(dataSource),
      sessions,
    }),
    principalOf: (request) => adapter.principalOf(request),
    signedSessionOf: (request) => adapter.signedSessionOf(request),
    trialLimits: new TrialLimits(config),
    idsByEmail: (text) => accounts.idsByEmail(text),
    resolvers: [new AccountsResolver(accounts)],
    tasks: [pruneAccounts(sessions, links, recognizedDevices, limiter)],
  };
}

// More than a person needs, and too few to flood another person's mailbox.
const maxMailsPerHour = 20;

/** Queues mails up to a limit for each recipient. Mails beyond the limit are dropped. */
function limitedMail(db: StatementRunner, limiter: Limiter, log: Logger): (mail: Mail) => Promise<void> {
  return async (mail) => {
    const wait = await limiter.tryConsume({ key: `mail to ${emailKey(mail.recipient)}`, max: maxMailsPerHour, withinSeconds: 3600 });
    if (wait > 0) return log.warn({ subject: mail.subject }, 'too many mails to one address: this one is dropped');
    await queueMail(db, mail);
  };
}
