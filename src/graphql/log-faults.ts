import type { ApolloServerPlugin } from '@apollo/server';
import type { Context } from '../core/context.js';
import { toPublicError } from '../core/errors.js';
import { ownErrorOf } from './own-error.js';

/** Logs faults of ours with the request's id, by which whoever saw the message can be helped. */
export const logFaults = (): ApolloServerPlugin<Context> => ({
  async requestDidStart() {
    return {
      async didEncounterErrors({ errors, contextValue }) {
        for (const error of errors.map(ownErrorOf)) {
          if (error !== undefined && toPublicError(error).code === 'internal') contextValue.log.error({ error }, 'an operation failed');
        }
      },
    };
  },
});
