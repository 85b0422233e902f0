import type { ApolloServerPlugin } from '@apollo/server';
import type { Context } from '../core/context.js';
import { toPublicError } from '../core/errors.js';
import { ownErrorOf } from './own-error.js';

/** Logs internal errors with the request's id, which the caller sees in the message. */
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
