import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError } from 'graphql';

/**
 * The error that a resolver or the server threw. Undefined for a fault of the operation (syntax, unknown fields, limits), which has a code
 * already.
 */
export function ownErrorOf(thrown: unknown): unknown {
  const error = unwrapResolverError(thrown);
  const isOfOperation = error === thrown && error instanceof GraphQLError && error.extensions.code !== undefined;
  return isOfOperation ? undefined : error;
}
