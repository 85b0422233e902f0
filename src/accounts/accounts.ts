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
import { authRoutes } from './auth/auth-routes.js';
import { createBetterAuth } from './auth/better-auth.js';
import { BetterAuthAdapter } from './auth/better-auth-adapter.js';
import { MailedLinks } from './auth/mailed-links.js';
import { Passkeys } from './auth/passkeys.js';
import { sessionRules } from './auth/session-rules.js';
import { authSecretsOf } from './auth-secret.js';
import { Limiter } from './limits/limiter.js';
import { limits } from './limits/limits.js';
import { TrialLimits } from './limits/trial-limits.js';
import { AccountStore } from './operators/account.store.js';
import { AccountsResolver } from './operators/accounts.resolver.js';
import { pruneAccounts } from './prune-accounts.js';
import { BrowserCookie } from './sessions/browser-cookie.js';
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

interface AccountsOptions {
  config: Config;
  database: Pick<Database, 'controlPool' | 'controlDataSource'>;
  log: Logger;
  /** Whether an account has a subscription that will be charged again. */
  hasRunningPlan(accountId: string): Promise<boolean>;
}

/** Builds the accounts room. It uses the control pool, so people can sign in while API traffic takes every connection of the main pool. */
export function createAccounts({ config, database, log, hasRunningPlan }: AccountsOptions): Accounts {
  const { controlPool: pool, controlDataSource: dataSource } = database;
  const limiter = new Limiter(pool);
  const sessions = new SessionStore(dataSource);
  const accounts = new AccountStore(dataSource);
  const links = new MailedLinks(dataSource);
  const passkeys = new Passkeys(dataSource);
  const secrets = authSecretsOf(config);
  const templates = createMailTemplates(config, limitedMail(pool, limiter, log));
  const rules = sessionRules(config, accounts, sessions, hasRunningPlan);
  const auth = createBetterAuth({ config, secret: secrets[0], pool, log, links, templates, rules, passkeys });
  const adapter = new BetterAuthAdapter(auth, sessions, secrets);
  const browserCookie = new BrowserCookie(config, secrets);

  return {
    authHandler: authRoutes({ config, log, dataSource, adapter, browserCookie, limiter, links, passkeys, sessions }),
    principalOf: (request) => adapter.principalOf(request),
    signedSessionOf: (request) => adapter.signedSessionOf(request),
    trialLimits: new TrialLimits(config, secrets),
    idsByEmail: (text) => accounts.idsByEmail(text),
    resolvers: [new AccountsResolver(accounts, sessions)],
    tasks: [pruneAccounts(dataSource, accounts)],
  };
}

/** Queues mails up to a limit for each recipient. Mails beyond the limit are dropped. */
function limitedMail(db: StatementRunner, limiter: Limiter, log: Logger): (mail: Mail) => Promise<void> {
  return async (mail) => {
    const wait = await limiter.tryConsume(limits.mails(mail.recipient));
    if (wait > 0) return log.warn({ subject: mail.subject }, 'too many mails to one address: this one is dropped');
    await queueMail(db, mail);
  };
}
