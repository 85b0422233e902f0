import type { ApolloServerPlugin } from '@apollo/server';
import { unwrapResolverError } from '@apollo/server/errors';
import type { Context } from '../core/context.js';
import { toPublicError } from '../core/errors.js';

/** Sets `Retry-After` where a resolver knows when trying again makes sense. */
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
