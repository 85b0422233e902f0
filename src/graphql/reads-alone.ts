import { type ASTVisitor, type FieldNode, GraphQLError, Kind, type ValidationContext } from 'graphql';

/**
 * A request that reads records asks for nothing else: a fault of another field would keep from its caller what was charged, and a read
 * is taken back by the id of its request, so there is one of them. And it does ask for the records, whatever its variables are, since they
 * are what is charged.
 */
export function readsAlone(context: ValidationContext): ASTVisitor {
  const fields: FieldNode[] = [];
  return {
    Field: (node) => {
      if (context.getParentType() === context.getSchema().getQueryType()) fields.push(node);
    },
    Document: {
      leave: () => {
        const reads = fields.filter(({ name }) => name.value === 'parcels');
        if (reads.length > 0 && fields.length > 1) {
          context.reportError(new GraphQLError('parcels is charged: it stands alone in a request.', { nodes: fields }));
        }
        if (!reads.every(asksForRecords)) {
          context.reportError(new GraphQLError('parcels charges its records: ask for them, without a directive.', { nodes: reads }));
        }
      },
    },
  };
}

const asksForRecords = ({ selectionSet }: FieldNode): boolean =>
  selectionSet?.selections.some((one) => one.kind === Kind.FIELD && one.name.value === 'records' && one.directives?.length === 0) ?? false;
