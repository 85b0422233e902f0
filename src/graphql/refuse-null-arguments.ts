import type { ApolloServerPlugin, GraphQLRequestContextDidResolveOperation } from '@apollo/server';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import {
  type DirectiveNode,
  type FieldNode,
  GraphQLError,
  getArgumentValues,
  getVariableValues,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Context } from '../context.js';

/**
 * Refuses an operation with a variable that is null where its argument must not be. Validation does not see values, and graphql-js
 * finds it only while it executes: when other fields have run, and by an error that looks like one of ours.
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

/** @throws GraphQLError naming the first argument of a field or directive that cannot have its value */
function readArguments({ schema, document, operation, request }: GraphQLRequestContextDidResolveOperation<Context>): void {
  if (!operation) return;
  const { coerced: variables } = getVariableValues(schema, operation.variableDefinitions ?? [], request.variables ?? {});
  if (!variables) return; // nothing is executed with faulty variables
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
