import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { expressMiddleware } from '@as-integrations/express5';
import { ApolloArmor } from '@escape.tech/graphql-armor';
import compression from 'compression';
import { json, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { GraphQLSchema } from 'graphql';
import { type Context, requireUser } from '../core/context.js';
import { AppError } from '../core/errors.js';
import { formatError, reportErrors } from './errors.js';
import { CostBudget, limitCost, refuseToWait } from './limit-cost.js';
import { refuseNullArguments } from './refuse-null-arguments.js';
import { requireSingleField } from './single-field-rules.js';

const bodyLimit = '256kb';
// The console's largest operation has 123. Validation time grows with the square of the fields: some 4 ms for this many.
const maxTokens = 400;
// Describing a fault takes longer than finding it.
const maxFaults = 5;

interface EndpointOptions {
  schema: GraphQLSchema;
  isProduction: boolean;
  /** The context of a request. One without a session is refused. */
  contextOf(request: Request, response: Response): Promise<Context>;
}

/** `/graphql`, for the console: POST with a session cookie, within limits on the size and cost of an operation. */
export async function graphqlEndpoint({ schema, isProduction, contextOf }: EndpointOptions): Promise<RequestHandler[]> {
  const armor = new ApolloArmor({
    maxAliases: { n: 15 },
    maxDepth: { n: 8 },
    maxTokens: { enabled: false }, // it answers 500 beyond the limit; `parseOptions` below gives a proper error
    maxDirectives: { n: 10 },
    costLimit: { enabled: false }, // it does not know the length of lists; `limitCost` below does
    blockFieldSuggestion: { enabled: true },
  }).protect();
  const budget = new CostBudget();
  const server = new ApolloServer<Context>({
    validationRules: [...armor.validationRules, requireSingleField],
    schema,
    parseOptions: { maxTokens },
    validationOptions: { maxErrors: maxFaults },
    introspection: !isProduction,
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: isProduction,
    persistedQueries: false,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    // `main.ts` decides when to stop: Apollo would answer 500 from the signal on, while the server still finishes requests.
    stopOnTerminationSignals: false,
    formatError,
    // The cast: armor's types are those of Apollo's CommonJS build.
    plugins: [
      ...(armor.plugins as unknown as ApolloServerPlugin<Context>[]),
      refuseNullArguments(), // before the cost, which depends on arguments
      limitCost(budget),
      reportErrors(),
      ApolloServerPluginLandingPageDisabled(),
    ],
  });
  await server.start();
  return [
    compression(),
    async (request: Request, response: Response, next: NextFunction) => {
      refuseBearer(request);
      const context = await contextOf(request, response);
      requireUser(context);
      response.locals.context = context;
      next();
    },
    json({ limit: bodyLimit }),
    expressMiddleware(server, {
      context: async ({ res }) => {
        const context = res.locals.context as Context;
        refuseToWait(budget.secondsOverdrawn(requireUser(context).id));
        return context;
      },
    }),
  ];
}

/** API tokens are for REST. A caller who sends one here is told where to use it. */
function refuseBearer({ headers }: Request): void {
  if (!/^bearer\b/i.test(headers.authorization ?? '')) return;
  throw new AppError('unauthenticated', '/graphql takes a session only. API tokens are for GET /api/parcels and GET /api/usage.');
}
