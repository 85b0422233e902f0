import type { Request, RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Config } from '../core/config.js';
import type { Principal } from '../core/context.js';
import type { Database } from '../database/database.js';
import type { Task } from '../jobs/task.js';
import { createMailTemplates } from '../mail/mail-templates.js';
import type { AuditLog } from '../operator-log/operator-log.js';
import { authRoutes } from './auth/auth-routes.js';
import { authSecretsOf } from './auth/auth-secret.js';
import { createBetterAuth } from './auth/better-auth.js';
import { BetterAuthAdapter } from './auth/better-auth-adapter.js';
import { limitedMail } from './auth/limited-mail.js';
import { MailedLinks } from './auth/mailed-links.js';
import { PasswordOrder } from './auth/password-order.js';
import { sessionRules } from './auth/session-rules.js';
import { SignInGuard } from './auth/sign-in-guard.js';
import { Limiter } from './limits/limiter.js';
import { TrialLimits } from './limits/trial-limits.js';
import { VisitorLimits } from './limits/visitor-limits.js';
import { AccountStore } from './operators/account.store.js';
import { AccountsResolver } from './operators/accounts.resolver.js';
import { PasskeyStore } from './passkeys/passkey.store.js';
import { pruneAccounts } from './prune-accounts.js';
import { BrowserCookie } from './sessions/browser-cookie.js';
import { KnownSources } from './sessions/recognized-devices.js';
import { SessionStore } from './sessions/session.store.js';

export interface Accounts {
  /** Serves `/api/auth`; to be mounted there before any body parser. */
  authHandler: RequestHandler;
  /** Who sent the request, by its session cookie. Two queries; none without a cookie. */
  principalOf(request: Request): Promise<Principal>;
  trialLimits: TrialLimits;
  /** Accounts whose e-mail address contains a text. */
  idsByEmail(text: string): Promise<string[]>;
  resolvers: object[];
  tasks: Task[];
}

interface AccountsParts {
  config: Config;
  database: Pick<Database, 'controlPool' | 'controlDataSource'>;
  log: Logger;
  audit: AuditLog;
  /** Whether an account goes on paying for a plan. */
  hasRunningPlan(accountId: string): Promise<boolean>;
}

/** Builds the accounts room, on the control pool: people can sign in also while customers' traffic takes every connection of the other. */
export function createAccounts({ config, database, audit, log, hasRunningPlan }: AccountsParts): Accounts {
  const { controlPool: pool, controlDataSource: dataSource } = database;
  const limiter = new Limiter(pool);
  const sessions = new SessionStore(dataSource);
  const accounts = new AccountStore(dataSource, audit);
  const links = new MailedLinks(dataSource);
  const secrets = authSecretsOf(config);
  const [secret, previousSecret] = secrets;
  const browserCookie = new BrowserCookie(config, secrets);
  const knownSources = new KnownSources(dataSource, browserCookie);
  const auth = createBetterAuth({
    config,
    secret,
    pool,
    log,
    links,
    templates: createMailTemplates(config, limitedMail(pool, limiter, log)),
    rules: sessionRules(config, accounts, sessions, hasRunningPlan),
  });
  const adapter = new BetterAuthAdapter({
    auth,
    sessions,
    origin: new URL(config.baseUrl).origin,
    secret,
    previousSecret,
  });
  const guard = new SignInGuard(limiter, knownSources);

  return {
    authHandler: authRoutes({
      config,
      log,
      adapter,
      browserCookie,
      limiter,
      visitors: new VisitorLimits(limiter, browserCookie),
      guard,
      knownSources,
      links,
      passkeys: new PasskeyStore(dataSource),
      passwords: new PasswordOrder(dataSource),
      sessions,
    }),
    principalOf: (request) => adapter.principalOf(request),
    trialLimits: new TrialLimits(config),
    idsByEmail: (text) => accounts.idsByEmail(text),
    resolvers: [new AccountsResolver(accounts)],
    tasks: [pruneAccounts(sessions, links, knownSources, limiter)],
  };
}
