import type { ApolloServerPlugin } from '@apollo/server';
import { unwrapResolverError } from '@apollo/server/errors';
import type { Context } from '../core/context.js';
import { toPublicError } from '../core/errors.js';

/** Sets `Retry-After` if a resolver's error has a time to retry. */
export const retryAfter = (): ApolloServerPlugin<Context> => ({
  async requestDidStart() {
    return {
      async didEncounterErrors({ errors, response }) {
        const [seconds] = errors.flatMap((error) => toPublicError(unwrapResolverError(error)).retryAfterSeconds ?? []);
        if (seconds !== undefined) response.http.headers.set('retry-after', String(seconds));
      },
    };
  },
});
