import { type ASTVisitor, type FieldNode, GraphQLError, type ValidationContext } from 'graphql';

/**
 * A request changes one thing. Where a later change fails, the answer has nothing of those before it, which stand: a token that is shown
 * only once would be lost.
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
        if (changes.length > 1) context.reportError(new GraphQLError('A request changes one thing: send another one.', { nodes: changes }));
      },
    },
  };
}
