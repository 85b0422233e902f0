import type { ApolloServerPlugin, GraphQLRequestContextDidResolveOperation } from '@apollo/server';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import {
  type DirectiveNode,
  type FieldNode,
  GraphQLError,
  getArgumentValues,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Context } from '../core/context.js';
import { readVariables } from './read-variables.js';

/**
 * Refuses an operation with a faulty variable, and with one that is null where its argument must not be. Validation does not see values,
 * and graphql-js finds a null only while it executes: when other fields have run. Of many faults and of a null it tells by an error that
 * looks like one of ours.
 */
export const refuseNullArguments = (): ApolloServerPlugin<Context> => ({
  requestDidStart: async () => ({
    didResolveOperation: async (request) => {
      try {
        readArguments(request);
      } catch (error) {
        if (!(error instanceof GraphQLError)) throw error;
        const { message, nodes } = error;
        throw new GraphQLError(message, { nodes, extensions: { code: ApolloServerErrorCode.BAD_USER_INPUT, http: { status: 400 } } });
      }
    },
  }),
});

type ArgumentTaker = Parameters<typeof getArgumentValues>[0];

/** @throws GraphQLError naming the first variable, or argument of a field or directive, that cannot have its value */
function readArguments(request: GraphQLRequestContextDidResolveOperation<Context>): void {
  const { schema, document, operation } = request;
  if (!operation) return;
  const variables = readVariables(request);
  if (variables instanceof GraphQLError) throw variables;
  const types = new TypeInfo(schema);
  // A field of a subscription is none: there are no subscriptions.
  const read = (taker: ArgumentTaker | null | undefined, node: FieldNode | DirectiveNode): void => {
    if (taker) getArgumentValues(taker, node, variables);
  };
  visit(
    // Other operations of the document have other variables.
    separateOperations(document)[operation.name?.value ?? '']!,
    visitWithTypeInfo(types, {
      Field: (node) => read(types.getFieldDef(), node),
      Directive: (node) => read(types.getDirective(), node),
    }),
  );
}
