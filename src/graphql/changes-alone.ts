import { type ASTVisitor, type FieldNode, GraphQLError, type ValidationContext } from 'graphql';

/**
 * Allows one mutation field per request. If a later one failed, the response would lack the results of earlier ones, which are committed: a
 * token that is shown only once would be lost.
 */
export function changesAlone(context: ValidationContext): ASTVisitor {
  const mutation = context.getSchema().getMutationType();
  const changes: FieldNode[] = [];
  return {
    Field: (node) => {
      if (mutation && context.getParentType() === mutation && node.name.value !== '__typename') changes.push(node);
    },
    Document: {
      leave: () => {
        if (changes.length > 1)
          context.reportError(new GraphQLError('A request may change one thing: send one request for each.', { nodes: changes }));
      },
    },
  };
}
