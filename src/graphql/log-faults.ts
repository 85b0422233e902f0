import type { ApolloServerPlugin } from '@apollo/server';
import { unwrapResolverError } from '@apollo/server/errors';
import type { Context } from '../context.js';
import { toPublicError } from '../errors.js';

/** Logs faults of resolvers with the request's id, by which whoever saw the message can be helped. */
export const logFaults = (): ApolloServerPlugin<Context> => ({
  async requestDidStart() {
    return {
      async didEncounterErrors({ errors, contextValue }) {
        for (const thrown of errors) {
          const error = unwrapResolverError(thrown);
          if (error !== thrown && toPublicError(error).code === 'internal') contextValue.log.error({ error }, 'a resolver failed');
        }
      },
    };
  },
});
