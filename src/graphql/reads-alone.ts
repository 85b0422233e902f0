import { type ASTVisitor, type FieldNode, GraphQLError, type ValidationContext } from 'graphql';

/**
 * A request that reads records asks for nothing else: a fault of another field would keep from its caller what was charged, and a read
 * is taken back by the id of its request, so there is one of them.
 */
export function readsAlone(context: ValidationContext): ASTVisitor {
  const fields: FieldNode[] = [];
  return {
    Field: (node) => {
      if (context.getParentType() === context.getSchema().getQueryType()) fields.push(node);
    },
    Document: {
      leave: () => {
        if (fields.length < 2 || !fields.some(({ name }) => name.value === 'parcels')) return;
        context.reportError(new GraphQLError('parcels is charged: it stands alone in a request.', { nodes: fields }));
      },
    },
  };
}
