import type { ApolloServerPlugin } from '@apollo/server';
import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { Context } from '../core/context.js';
import { toPublicError } from '../core/errors.js';

/** Faults of the operation keep Apollo's message. All other errors get a code of `core/errors.ts`. */
export function formatError(formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError {
  const error = ownErrorOf(thrown);
  if (error === undefined) return formatted;
  const { code, message, details } = toPublicError(error);
  return { message, ...(formatted.path && { path: formatted.path }), extensions: { code, ...(details && { details }) } };
}

/** Logs internal errors with the request's id, which the caller sees in the message. Sets `Retry-After` if an error has a time to retry. */
export const reportErrors = (): ApolloServerPlugin<Context> => ({
  async requestDidStart() {
    return {
      async didEncounterErrors({ errors, contextValue, response }) {
        for (const error of errors.map(ownErrorOf)) {
          if (error !== undefined && toPublicError(error).code === 'internal') contextValue.log.error({ error }, 'an operation failed');
        }
        const [seconds] = errors.flatMap((error) => toPublicError(unwrapResolverError(error)).retryAfterSeconds ?? []);
        if (seconds !== undefined) response.http.headers.set('retry-after', String(seconds));
      },
    };
  },
});

/**
 * The error that a resolver or the server threw. Undefined for a fault of the operation (syntax, unknown fields, limits), which has a code
 * already.
 */
function ownErrorOf(thrown: unknown): unknown {
  const error = unwrapResolverError(thrown);
  const isOfOperation = error === thrown && error instanceof GraphQLError && error.extensions.code !== undefined;
  return isOfOperation ? undefined : error;
}
