import type { GraphQLSchema } from 'graphql';
import { type AuthCheckerFn, buildSchema, type ClassType, type NonEmptyArray } from 'type-graphql';
import { type Context, requireOperator, requireToken, requireUser } from '../core/context.js';
import { rejected } from '../ledger/rejection.js';
import { checkArguments } from './check-arguments.js';

/**
 * The schema of every class with `@Resolver` that was imported.
 * @param built their instances; without them the schema can only be printed
 * @throws Error if a class has no instance
 */
export function createSchema(built?: object[]): Promise<GraphQLSchema> {
  const resolvers = global.TypeGraphQLMetadataStorage.resolverClasses.map(({ target }) => target as ClassType);
  const instances = new Map(built?.map((resolver) => [resolver.constructor, resolver]));
  const missing = built ? resolvers.filter((resolver) => !instances.has(resolver)) : [];
  if (missing.length > 0) throw new Error(`no instance of ${missing.map(({ name }) => name).join(', ')}`);
  return buildSchema({
    resolvers: resolvers as NonEmptyArray<ClassType>,
    container: { get: (resolver) => instances.get(resolver) },
    authChecker: checkAuthorization,
    validateFn: checkArguments,
    // It is checked where it is printed, and would take a quarter of a start.
    skipCheck: built !== undefined,
  });
}

/** The caller that a field may require: one with a bearer token, a session, either of them, or an operator's session. */
type Caller = 'token' | 'user' | 'reader' | 'admin';

/**
 * Checks `@Authorized(caller)`. Throws a refusal instead of returning false, so that the caller gets its error code.
 * @throws AppError missing, invalid, unauthenticated or forbidden
 */
const checkAuthorization: AuthCheckerFn<Context, Caller> = ({ context }, [caller]) => {
  if (caller === 'reader' && context.principal.kind === 'user') return true;
  if (caller === 'token' || caller === 'reader') {
    if (context.principal.kind === 'bad-token') throw rejected('invalid');
    requireToken(context);
  } else if (caller === 'admin') requireOperator(context);
  else requireUser(context);
  return true;
};
