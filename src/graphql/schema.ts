import type { GraphQLSchema } from 'graphql';
import { buildSchema, type ClassType, type NonEmptyArray } from 'type-graphql';
import { checkAuthorization } from './authorization.js';
import { checkArguments } from './check-arguments.js';

/** The schema of all rooms' resolvers. @param built their instances; a schema without them can only be printed */
export function createSchema(resolvers: readonly ClassType[], built: object[] = []): Promise<GraphQLSchema> {
  const instances = new Map(built.map((resolver) => [resolver.constructor, resolver]));
  return buildSchema({
    resolvers: resolvers as NonEmptyArray<ClassType>,
    container: { get: (resolver) => instances.get(resolver) },
    authChecker: checkAuthorization,
    validateFn: checkArguments,
  });
}
