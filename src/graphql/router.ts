import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { expressMiddleware } from '@as-integrations/express5';
import { ApolloArmor } from '@escape.tech/graphql-armor';
import { json, type NextFunction, type Request, type Response, Router } from 'express';
import type { GraphQLFormattedError, GraphQLSchema } from 'graphql';
import { type Context, requireUser } from '../core/context.js';
import { AppError, toPublicError } from '../core/errors.js';
import { refuseMethod } from '../core/refuse-method.js';
import { changesAlone } from './changes-alone.js';
import { limitCost } from './limit-cost.js';
import { logFaults } from './log-faults.js';
import { ownErrorOf } from './own-error.js';
import { readsAlone } from './reads-alone.js';
import { refuseNullArguments } from './refuse-null-arguments.js';
import { retryAfter } from './retry-after.js';

const bodyLimit = '256kb';

interface RouterOptions {
  schema: GraphQLSchema;
  isProduction: boolean;
  /** The context of a request; one without a session is refused by the router. */
  contextOf(request: Request, response: Response): Promise<Context>;
}

/** `/graphql`, for the console: POST with a session cookie, within limits on the size and cost of an operation. */
export async function graphqlRouter({ schema, isProduction, contextOf }: RouterOptions): Promise<Router> {
  const armor = new ApolloArmor({
    maxAliases: { n: 15 },
    maxDepth: { n: 8 },
    maxTokens: { enabled: false }, // it answers 500 beyond the limit; `parseOptions` below limits tokens with a proper error
    maxDirectives: { n: 10 },
    costLimit: { enabled: false }, // it does not know how long lists are; `limitCost` below does
    blockFieldSuggestion: { enabled: true },
  }).protect();
  const server = new ApolloServer<Context>({
    validationRules: [...armor.validationRules, readsAlone, changesAlone],
    schema,
    parseOptions: { maxTokens: 1500 },
    introspection: !isProduction,
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: isProduction,
    persistedQueries: false,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    // `main.ts` decides when to stop: Apollo would answer 500 from the signal on, while requests are still taken and finished.
    stopOnTerminationSignals: false,
    formatError,
    // armor's types are those of Apollo's CommonJS build, which TypeScript takes for other types
    plugins: [
      ...(armor.plugins as unknown as ApolloServerPlugin<Context>[]),
      refuseNullArguments(), // before the cost, which is reckoned from arguments, too
      limitCost(),
      retryAfter(),
      logFaults(),
      ApolloServerPluginLandingPageDisabled(),
    ],
  });
  await server.start();
  const router = Router({ caseSensitive: true, strict: true });
  router.post(
    '/graphql',
    json({ limit: bodyLimit }),
    async (request: Request, response: Response, next: NextFunction) => {
      refuseBearer(request);
      const context = await contextOf(request, response);
      requireUser(context);
      response.locals.context = context;
      next();
    },
    expressMiddleware(server, { context: async ({ res }) => res.locals.context as Context }),
  );
  router.all('/graphql', refuseMethod(['post']));
  return router;
}

/** An API token reads by REST. It could do nothing here, so whoever sends one is told where to go. */
function refuseBearer({ headers }: Request): void {
  if (!/^bearer\b/i.test(headers.authorization ?? '')) return;
  throw new AppError('unauthenticated', '/graphql takes a session only. API tokens are for GET /api/parcels and GET /api/usage.');
}

/** Faults of the operation keep Apollo's message; all other errors get a code of `errors.ts`. */
function formatError(formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError {
  const error = ownErrorOf(thrown);
  if (error === undefined) return formatted;
  const { code, message, details } = toPublicError(error);
  return { message, ...(formatted.path && { path: formatted.path }), extensions: { code, ...(details && { details }) } };
}
