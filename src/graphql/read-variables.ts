import type { GraphQLRequestContextDidResolveOperation } from '@apollo/server';
import { type GraphQLError, getVariableValues } from 'graphql';
import type { Context } from '../core/context.js';

/**
 * The variables of a request as its operation takes them, or the first fault in them. Only the first: an error for each element of
 * a list that fills the body would take ten seconds of the server.
 */
export function readVariables({
  schema,
  operation,
  request,
}: GraphQLRequestContextDidResolveOperation<Context>): Record<string, unknown> | GraphQLError {
  const definitions = operation?.variableDefinitions ?? [];
  const { coerced, errors } = getVariableValues(schema, definitions, request.variables ?? {}, { maxErrors: 1 });
  return coerced ?? errors![0]!;
}
