import type { Request, RequestHandler } from 'express';
import type { Logger } from 'pino';
import { AuditLog } from '../audit-log/audit-log.js';
import type { Config } from '../config.js';
import type { Principal } from '../context.js';
import type { Database } from '../database/database.js';
import { MailQueue } from '../mail/mail-queue.js';
import { createMailTemplates } from '../mail/mail-templates.js';
import { createMailTransport } from '../mail/mail-transport.js';
import { AccountStore } from './account.store.js';
import { AccountsResolver } from './accounts.resolver.js';
import { authRoutes } from './auth-routes.js';
import { authSecretOf } from './auth-secret.js';
import { createBetterAuth } from './better-auth.js';
import { BetterAuthAdapter } from './better-auth-adapter.js';
import { KnownSources } from './known-sources.js';
import { Limiter } from './limiter.js';
import { SessionStore } from './session.store.js';
import { sessionRules } from './session-rules.js';
import { SignInGuard } from './sign-in-guard.js';

export interface Accounts {
  /** All of `/api/auth`; mounted there, before any body parser. */
  authHandler: RequestHandler;
  /** Whose session the request's cookie opens. Two queries; none without a cookie. */
  principalOf(request: Request): Promise<Principal>;
  resolvers: object[];
  /** Where other rooms write down what operators do in them. */
  audit: AuditLog;
  /** Begins to deliver mails and to clear away what has run out. */
  start(): void;
  stop(): Promise<void>;
}

interface AccountsParts {
  config: Config;
  database: Pick<Database, 'controlPool'>;
  log: Logger;
}

const pruneMs = 60 * 60 * 1000;

/** The accounts room, put together. Sign-in stays possible when customers' traffic has taken every other connection. */
export function createAccounts({ config, database: { controlPool: pool }, log }: AccountsParts): Accounts {
  const limiter = new Limiter(pool);
  const knownSources = new KnownSources(pool, config);
  const sessions = new SessionStore(pool);
  const audit = new AuditLog(pool);
  const accounts = new AccountStore(pool, audit);
  const mails = new MailQueue(pool, limiter, createMailTransport(config, log), log);
  const secret = authSecretOf(config);
  const auth = createBetterAuth({
    config,
    secret,
    pool,
    log,
    templates: createMailTemplates(config, mails),
    rules: sessionRules(accounts, sessions),
  });
  const adapter = new BetterAuthAdapter({
    auth,
    sessions,
    origin: new URL(config.baseUrl).origin,
    secret,
    previousSecret: config.authSecretPrevious,
  });
  const guard = new SignInGuard(limiter, knownSources);

  const prune = () => {
    Promise.all([limiter.prune(), knownSources.prune(), sessions.prune()]).catch((error) =>
      log.warn({ error }, 'what ran out could not be cleared away'),
    );
  };
  let pruning: NodeJS.Timeout | undefined;

  return {
    authHandler: authRoutes({ config, adapter, limiter, guard, knownSources, accounts, sessions }),
    principalOf: (request) => adapter.principalOf(request),
    resolvers: [new AccountsResolver(accounts, audit)],
    audit,
    start: () => {
      mails.start();
      pruning = setInterval(prune, pruneMs).unref();
    },
    stop: async () => {
      clearInterval(pruning);
      await mails.stop();
    },
  };
}
