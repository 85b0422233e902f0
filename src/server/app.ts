import type { RequestListener, Server } from 'node:http';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { Logger } from 'pino';
import { createAccounts } from '../accounts/accounts.js';
import { requireSameOrigin } from '../accounts/auth/same-origin.js';
import { authSecretsOf } from '../accounts/auth-secret.js';
import { requireOpenSession } from '../accounts/sessions/session.store.js';
import { createAdmin } from '../admin/admin.js';
import { dataDirId } from '../admin/data-dir.js';
import { auditChecks } from '../audit/audit-checks.js';
import { AuditRunStore } from '../audit/audit-run.store.js';
import { checkpointChecks } from '../audit/checkpoint/checkpoint-checks.js';
import { auditTask } from '../audit/run-audit.js';
import { shippedChecks } from '../audit/shipped-checks.js';
import { createBilling } from '../billing/billing.js';
import { withoutPort } from '../core/client-address.js';
import type { Config } from '../core/config.js';
import { CountyResolver } from '../counties/county.resolver.js';
import { CountyStore } from '../counties/county.store.js';
import { CoverageVersion } from '../counties/coverage-version.js';
import { ZipResolver } from '../counties/zip-codes/zip.resolver.js';
import type { Database } from '../database/database.js';
import { graphqlEndpoint } from '../graphql/endpoint.js';
import { CostBudget } from '../graphql/limit-cost.js';
import { createSchema } from '../graphql/schema.js';
import { JobRunner, openJobPool } from '../jobs/job-runner.js';
import { Alarms } from '../jobs/outbound/alarms.js';
import { OutboundHold } from '../jobs/outbound/outbound-hold.js';
import { pruneJobs } from '../jobs/private-tables.js';
import { RepeatedWork } from '../jobs/repeated-work.js';
import { Readiness } from '../ledger/readiness.js';
import { createMailTransport } from '../mail/mail-transport.js';
import { sendMail } from '../mail/send-mail.js';
import type { SearchBuckets } from '../parcels/find-parcels.js';
import { createParcels } from '../parcels/parcels.js';
import { LedgerExportResolver } from '../proofs/ledger-export.resolver.js';
import { LedgerExportStore } from '../proofs/ledger-export.store.js';
import { createLogRoom } from '../proofs/log/log-room.js';
import { pruneReleasesTask } from '../releases/lifecycle/prune.js';
import { RequestResolver } from '../requests/request.resolver.js';
import { RequestStore } from '../requests/request.store.js';
import { RequestLog } from '../requests/request-log.js';
import { forgetRequests, pruneRequests } from '../requests/request-tasks.js';
import { RequestBounds } from '../rest/connections/bound-requests.js';
import { type expressClasses, serveRequests } from '../rest/connections/http-server.js';
import { allowSlowBody, closeSlowBody } from '../rest/connections/slow-body.js';
import { warnOfUndeclaredProxy } from '../rest/connections/undeclared-proxy.js';
import { openDoors } from '../rest/doors.js';
import { errorHandler } from '../rest/error-handler.js';
import { Health } from '../rest/health.js';
import { recordRequestTime } from '../rest/metrics.js';
import { Operations } from '../rest/operations.js';
import { boughtFiles } from '../rest/pages/bought-files.js';
import { consolePages } from '../rest/pages/console-pages.js';
import { contractAt, docsForPrograms } from '../rest/pages/docs-pages.js';
import { parcelTiles } from '../rest/pages/parcel-tiles.js';
import { PublicPages } from '../rest/pages/public-pages.js';
import { securityHeaders } from '../rest/pages/security-headers.js';
import { PublicAnswers } from '../rest/public-answers.js';
import { parseQuery } from '../rest/query-parameters.js';
import { assignRequestId, contextFor, idempotencyKeyOf, setRequestIdHeader } from '../rest/request-context.js';
import { mapTasks } from '../tiles/cut-task.js';
import { ParcelMapStore } from '../tiles/parcel-map.store.js';
import { TokenResolver, UsageTokenResolver } from '../tokens/token.resolver.js';
import { TokenStore } from '../tokens/token.store.js';
import { AccountUsageResolver } from '../usage/account-usage.resolver.js';
import { LedgerStore } from '../usage/ledger.store.js';
import { sumUsageTask } from '../usage/sum-usage.js';

const bodyMs = 15_000;
const sweepPauseMs = 2_000;
// Ten exact tiles of a map a second and 800 at once: enough to move over it. A county of 2,000 square kilometers takes some minutes.
const costOfTile = 500;
// Twenty searches for a parcel at once, and then fifteen a minute: each that matches says which parcel has an address.
const costOfFind = 20_000;

export interface App {
  /** Attaches the app to a server that makes objects of these classes. */
  serve(server: Server, classes: ReturnType<typeof expressClasses>): void;
  /** Makes /ready answer 503, so that load balancers stop sending requests here. */
  drain(): void;
  close(): Promise<void>;
}

/** Builds all objects of the service and opens the doors. */
export async function createApp(config: Config, database: Database, log: Logger): Promise<App> {
  const [tileBudget, findBudget] = [new CostBudget(), new CostBudget()];
  const secrets = authSecretsOf(config);
  const coverage = new CoverageVersion(database.pool);
  const maps = new ParcelMapStore(database.controlPool);
  const bucketsOf: SearchBuckets = (fips, buckets) => maps.searchBuckets(fips, buckets);
  const mayFind = (id: string) => findBudget.secondsToWait(id, costOfFind);
  const parcels = await createParcels(database, coverage, secrets, bucketsOf, mayFind, log);
  const sweeper = new RepeatedWork('undelivered reads', sweepPauseMs, () => parcels.deliveries.sweep(), log);
  const mail = createMailTransport(config, database.controlPool, log);
  const alarms = new Alarms(database.controlPool, log);
  const hold = new OutboundHold(database.controlPool, alarms, log);
  const billing = createBilling({ config, database, log, isHeld: hold.isHeld });
  const accounts = createAccounts({ config, database, log, hasRunningPlan: billing.hasRunningPlan });
  const admin = await createAdmin(config, database, log);
  const ledger = new LedgerStore(database.reportPool);
  const requests = new RequestStore(database.reportPool);
  const calls = new RequestLog(database.controlPool, parcels.tokens, log);
  const jobPool = openJobPool(database, log);
  const serverId = await dataDirId(config.dataDir);
  const proofs = createLogRoom({ config, pool: database.controlPool, jobPool, secrets, serverId, log });
  await proofs.requireKnownSecret().catch(async (error) => {
    await jobPool.end();
    throw error;
  });
  const contract = contractAt(config);
  const schema = await createSchema([
    new CountyResolver(new CountyStore(database.dataSource)),
    new ZipResolver(database.dataSource),
    new TokenResolver(new TokenStore(database.controlDataSource), config, accounts.trialLimits, accounts.idsByEmail, requireOpenSession),
    new UsageTokenResolver(new TokenStore(database.dataSource)),
    new LedgerExportResolver(new LedgerExportStore(database.reportPool)),
    new AccountUsageResolver(database.controlPool, database.reportPool, ledger, accounts.idsByEmail),
    ...parcels.resolvers,
    ...proofs.resolvers,
    ...accounts.resolvers,
    new RequestResolver(requests, contract.components['x-errors']),
    ...billing.resolvers,
    ...admin.resolvers,
  ]);
  const nightlyChecks = async () => {
    const note = await proofs.oldestKept();
    return [...auditChecks, ...shippedChecks, ...(note === null ? [] : checkpointChecks({ note, vkeys: null }))];
  };
  const jobs = new JobRunner(
    jobPool,
    [
      sendMail(mail),
      auditTask(jobPool, new AuditRunStore(database.controlDataSource, config.dataDir), nightlyChecks, billing.compareWithStripe, log),
      sumUsageTask(jobPool),
      pruneReleasesTask(jobPool, log),
      ...mapTasks(jobPool, database, log),
      pruneJobs(jobPool),
      ...proofs.tasks,
      ...accounts.tasks,
      pruneRequests(jobPool),
      forgetRequests(new RequestStore(jobPool)),
      ...billing.tasks,
      ...admin.tasks,
    ],
    log,
    hold.isHeld,
  );
  const readiness = new Readiness(database.controlPool);
  const health = new Health(() => readiness.canSpend());
  const security = securityHeaders(config);
  const bounds = new RequestBounds(config.trustProxy.length > 0, {
    accountOfToken: (tokenHash) => parcels.tokens.known(tokenHash)?.accountId,
    sessionOf: accounts.signedSessionOf,
  });
  const publicAnswers = new PublicAnswers(coverage, security.list);
  const publicPages = new PublicPages(schema, publicAnswers, proofs, coverage, config, contract, log);

  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing');
  app.set('query parser', parseQuery);
  app.set('trust proxy', config.trustProxy);
  // For Express `If-None-Match: *` also matches answers without a tag. Our conditional answers compare tags themselves.
  Object.defineProperty(app.request, 'fresh', { value: false });
  const isProxy = app.get('trust proxy fn');
  app.set('trust proxy', (address: string | undefined, hop: number) => isProxy(withoutPort(address), hop));
  if (config.baseUrl.startsWith('https:') && config.trustProxy.length === 0) app.use(warnOfUndeclaredProxy(log));
  const { principalOf } = accounts;
  openDoors(app, {
    operations: new Operations(schema, 'schema/operations/rest.graphql'),
    log,
    publicAnswers,
    common: { headers: security.list, baseUrl: config.baseUrl },
    principalOf,
    calls,
    requireSameOrigin: requireSameOrigin(config),
    setCommonHeaders: [setRequestIdHeader, security.middleware],
    answers: {
      health: health.health,
      ready: health.ready,
      auth: accounts.authHandler,
      webhook: billing.webhookHandlers,
      graphql: await graphqlEndpoint({
        schema,
        isProduction: config.nodeEnv === 'production',
        contextOf: async (request, response) => {
          const context = contextFor(request, response, await principalOf(request), log);
          context.idempotencyKey = idempotencyKeyOf(request);
          return context;
        },
      }),
      ...publicPages.answers(),
      ...boughtFiles(parcels.bought, principalOf, log),
      ...parcelTiles(maps, principalOf, (id) => tileBudget.secondsToWait(id, costOfTile)),
      ...docsForPrograms(contract, publicPages),
      ...consolePages({
        publicPages,
        principalOf,
        pagePolicy: security.pagePolicy,
        baseUrl: config.baseUrl,
      }),
      upload: [allowSlowBody, admin.uploadHandler as RequestHandler],
    },
  });
  const handleError = errorHandler(log, security.list, calls);
  app.use(handleError);

  // What needs no routing runs before Express, whose overhead is larger than its own time.
  const answer = (request: Request, response: Response) => {
    assignRequestId(response);
    if (config.metricsPort !== undefined) recordRequestTime(request, response);
    closeSlowBody(request, response, bodyMs, security.list);
    bounds.begin(request, response, (refusal) => {
      if (refusal) handleError(refusal, request, response, () => {});
      else publicAnswers.answerFromMemory(request, response, () => app(request, response));
    });
  };

  const backgroundWork = [hold, jobs, sweeper, calls, proofs, admin];
  for (const work of backgroundWork) await work.start();
  return {
    serve: (server, classes) => {
      classes.join(app);
      bounds.boundConnections(server);
      serveRequests(server, answer as RequestListener, security.list);
    },
    drain: () => health.drain(),
    close: async () => {
      await Promise.all([...backgroundWork.map((work) => work.stop()), parcels.deliveries.finishReversals()]);
      mail.close();
    },
  };
}
