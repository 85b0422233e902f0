import { validateSync } from 'class-validator';
import type { GraphQLSchema } from 'graphql';
import { buildSchema, type ClassType, type NonEmptyArray } from 'type-graphql';
import { invalidRequest, quoteValue, snakeCase } from '../parameters.js';
import { checkAuthorization } from './authorization.js';

/** One schema of all rooms' resolvers. @param built their instances; a schema without them can only be printed */
export function createSchema(resolvers: readonly ClassType[], built: object[] = []): Promise<GraphQLSchema> {
  const instances = new Map(built.map((resolver) => [resolver.constructor, resolver]));
  return buildSchema({
    resolvers: resolvers as NonEmptyArray<ClassType>,
    container: { get: (resolver) => instances.get(resolver) },
    authChecker: checkAuthorization,
    validateFn: checkArguments,
  });
}

async function checkArguments(args: unknown): Promise<void> {
  if (typeof args !== 'object' || args === null) return;
  const faults = validateSync(args, { forbidUnknownValues: false });
  if (faults.length === 0) return;
  throw invalidRequest(
    faults.map(({ property, constraints, value }) => {
      const rules = Object.values(constraints ?? {}).map((rule) => rule.replace(`${property} `, ''));
      return { parameter: snakeCase(property), message: `${rules.join(' and ')}, not ${quoteValue(value)}` };
    }),
  );
}
