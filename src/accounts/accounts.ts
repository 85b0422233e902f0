import type { Request, RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Config } from '../core/config.js';
import type { Principal } from '../core/context.js';
import type { Database } from '../database/database.js';
import type { Task } from '../jobs/task.js';
import { createMailTemplates } from '../mail/mail-templates.js';
import type { AuditLog } from '../operator-log/operator-log.js';
import { AccountStore } from './account.store.js';
import { AccountsResolver } from './accounts.resolver.js';
import { authRoutes } from './auth-routes.js';
import { authSecretsOf } from './auth-secret.js';
import { createBetterAuth } from './better-auth.js';
import { BetterAuthAdapter } from './better-auth-adapter.js';
import { BrowserCookie } from './browser-cookie.js';
import { KnownSources } from './known-sources.js';
import { limitedMail } from './limited-mail.js';
import { Limiter } from './limiter.js';
import { MailedLinks } from './mailed-links.js';
import { PasskeyStore } from './passkey.store.js';
import { PasswordOrder } from './password-order.js';
import { pruneAccounts } from './prune-accounts.js';
import { SessionStore } from './session.store.js';
import { sessionRules } from './session-rules.js';
import { SignInGuard } from './sign-in-guard.js';
import { TrialLimits } from './trial-limits.js';
import { VisitorLimits } from './visitor-limits.js';

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
