import type { ApolloServerPlugin, GraphQLRequestContextDidResolveOperation } from '@apollo/server';
import { GraphQLError, Kind } from 'graphql';
import { LRUCache } from 'lru-cache';
import { type Context, requireUser } from '../core/context.js';
import { costOf } from './cost.js';
import { readVariables } from './refuse-null-arguments.js';

const maxCost = 20_000;
// What the budget regains in 20 ms: documents may take a fiftieth of a core's time.
const costOfMs = 250;
// What a refusal costs beside that: looking up the session, and describing the faults.
const costOfRefusal = 1_000;

type Resolved = GraphQLRequestContextDidResolveOperation<Context>;

/**
 * Refuses operations that would return too much, and operations of an account that has spent its cost budget. Parsing and validation
 * time and each refusal are charged, too. Apollo parses and validates a valid document once, so the console's documents are free.
 */
export function limitCost(budget: CostBudget): ApolloServerPlugin<Context> {
  const chargeTime = async ({ contextValue }: { contextValue: Context }) => {
    const startMs = performance.now();
    return async () => budget.charge(requireUser(contextValue).id, (performance.now() - startMs) * costOfMs);
  };
  return {
    requestDidStart: async () => ({
      parsingDidStart: chargeTime,
      validationDidStart: chargeTime,
      didEncounterErrors: async ({ contextValue }) => budget.charge(requireUser(contextValue).id, costOfRefusal),
      didResolveOperation: async (request) => {
        const cost = costOfRequest(request);
        if (cost > maxCost) {
          throw refusal('invalid_request', 400, `This asks for ${cost} values at once; ${maxCost} are the most. Ask for fewer rows.`);
        }
        refuseToWait(budget.secondsToWait(requireUser(request.contextValue).id, cost));
      },
    }),
  };
}

/** @throws GraphQLError `too_many_requests` unless there are 0 seconds to wait */
export function refuseToWait(seconds: number): void {
  if (seconds > 0) throw refusal('too_many_requests', 429, 'You have asked for too much in a short time. Try again in a moment.', seconds);
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

/** The cost that an account may spend at once, and how fast it is regained: some 2 % of a core. */
const [most, backPerSecond] = [400_000, 5_000];
const maxAccounts = 10_000;

/** The cost that each account has spent lately. */
export class CostBudget {
  private readonly spent = new LRUCache<string, { cost: number; at: number }>({ max: maxAccounts });

  /** Spends a cost within the budget and returns 0; otherwise returns the seconds to wait. */
  secondsToWait(accountId: string, cost: number, now = seconds()): number {
    const sum = this.spentBy(accountId, now) + cost;
    if (sum > most) return Math.ceil((sum - most) / backPerSecond);
    this.spent.set(accountId, { cost: sum, at: now });
    return 0;
  }

  /** Charges work that is done already, even beyond the budget. */
  charge(accountId: string, cost: number, now = seconds()): void {
    this.spent.set(accountId, { cost: this.spentBy(accountId, now) + cost, at: now });
  }

  /** The seconds until the account is within its budget; 0: it is. */
  secondsOverdrawn(accountId: string, now = seconds()): number {
    return Math.ceil(Math.max(0, this.spentBy(accountId, now) - most) / backPerSecond);
  }

  private spentBy(accountId: string, now: number): number {
    const before = this.spent.get(accountId);
    return before ? Math.max(0, before.cost - (now - before.at) * backPerSecond) : 0;
  }
}

const seconds = () => performance.now() / 1000;
