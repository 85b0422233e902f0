import { type ASTVisitor, type FieldNode, GraphQLError, Kind, type ValidationContext } from 'graphql';

/**
 * A request for `parcels` has no other root field: an error in another field would withhold charged records, and a read is reversed by the id
 * of its request, so a request has one read. It must select `records` without a directive, since they are what is charged.
 */
export function requireSingleRead(context: ValidationContext): ASTVisitor {
  const fields: FieldNode[] = [];
  return {
    Field: (node) => {
      if (context.getParentType() === context.getSchema().getQueryType()) fields.push(node);
    },
    Document: {
      leave: () => {
        const reads = fields.filter(({ name }) => name.value === 'parcels');
        if (reads.length > 0 && fields.length > 1) {
          context.reportError(new GraphQLError('parcels is charged, so it must be the only field of a request.', { nodes: fields }));
        }
        if (!reads.every(asksForRecords)) {
          context.reportError(new GraphQLError('parcels charges for its records: select them, without a directive.', { nodes: reads }));
        }
      },
    },
  };
}

const asksForRecords = ({ selectionSet }: FieldNode): boolean =>
  selectionSet?.selections.some((one) => one.kind === Kind.FIELD && one.name.value === 'records' && one.directives?.length === 0) ?? false;

/**
 * Allows one mutation field per request. If a later one failed, the response would lack the results of earlier ones, which are committed: a
 * token that is shown only once would be lost.
 */
export function requireSingleMutation(context: ValidationContext): ASTVisitor {
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
