import type { ApolloServerPlugin, GraphQLRequestContextDidResolveOperation } from '@apollo/server';
import { GraphQLError, Kind } from 'graphql';
import { type Context, requireUser } from '../core/context.js';
import { costOf } from './cost.js';
import { CostBudget } from './cost-budget.js';
import { readVariables } from './read-variables.js';

const maxCost = 20_000;

type Resolved = GraphQLRequestContextDidResolveOperation<Context>;

/** Refuses operations that would return too much, and those of an account that has asked for too much in the last seconds. */
export function limitCost(): ApolloServerPlugin<Context> {
  const budget = new CostBudget();
  return {
    requestDidStart: async () => ({
      didResolveOperation: async (request) => {
        const cost = costOfRequest(request);
        if (cost > maxCost) {
          throw refusal('invalid_request', 400, `This asks for ${cost} values at once; ${maxCost} are the most. Ask for fewer rows.`);
        }
        const wait = budget.secondsToWait(requireUser(request.contextValue).id, cost);
        if (wait > 0) throw refusal('too_many_requests', 429, 'You have asked for very much in a short time. Try again in a moment.', wait);
      },
    }),
  };
}

function costOfRequest(request: Resolved): number {
  const { schema, operation, document } = request;
  if (!operation) return 0;
  const root = schema.getRootType(operation.operation);
  if (!root) throw refusal('invalid_request', 400, `There is no ${operation.operation} here.`);
  const variables = readVariables(request);
  if (variables instanceof GraphQLError) return 0; // nothing is executed with faulty variables
  const fragments = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return costOf({
    root,
    selections: operation.selectionSet,
    fragments: new Map(fragments.map((fragment) => [fragment.name.value, fragment])),
    variables,
  });
}

function refusal(code: string, status: number, message: string, retryAfterSeconds?: number): GraphQLError {
  const headers = new Map(retryAfterSeconds === undefined ? [] : [['retry-after', String(retryAfterSeconds)]]);
  return new GraphQLError(message, { extensions: { code, http: { status, headers } } });
}
