import type { GraphQLSchema } from 'graphql';
import { buildSchema, type ClassType, type NonEmptyArray } from 'type-graphql';
import { checkAuthorization } from './authorization.js';
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
  });
}
