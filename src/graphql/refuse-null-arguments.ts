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
import type { Context } from '../core/context.js';

/**
 * Refuses an operation with a faulty variable, or with a null variable for a required argument. Validation does not see values, and
 * graphql-js finds a null only during execution, when other fields have run. For many faults, and for a null, graphql-js also throws an
 * error that would be reported as an internal one.
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

type Resolved = GraphQLRequestContextDidResolveOperation<Context>;
type ArgumentTaker = Parameters<typeof getArgumentValues>[0];

/** @throws GraphQLError naming the first variable, or argument of a field or directive, that cannot have its value */
function readArguments(request: Resolved): void {
  const { schema, document, operation } = request;
  if (!operation) return;
  const variables = readVariables(request);
  if (variables instanceof GraphQLError) throw variables;
  const types = new TypeInfo(schema);
  // Subscriptions need no check: there are none.
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

/**
 * The coerced variables of a request, or the first fault in them. Only the first: an error for each element of a list that fills the body
 * would take the server ten seconds.
 */
export function readVariables({ schema, operation, request }: Resolved): Record<string, unknown> | GraphQLError {
  const definitions = operation?.variableDefinitions ?? [];
  const { coerced, errors } = getVariableValues(schema, definitions, request.variables ?? {}, { maxErrors: 1 });
  return coerced ?? errors![0]!;
}
