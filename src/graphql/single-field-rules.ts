import { type ASTVisitor, type FieldNode, GraphQLError, Kind, type ValidationContext } from 'graphql';

/**
 * A request has one charged read, or one change, and then no other field of that kind. An error in another field would withhold charged
 * records, or the results of changes that are committed: a token that is shown only once would be lost. A read is reversed by the id of its
 * request. It must select `records` without a directive, since they are what is charged.
 */
export function requireSingleField(context: ValidationContext): ASTVisitor {
  const [queries, changes]: [FieldNode[], FieldNode[]] = [[], []];
  const refuse = (message: string, nodes: FieldNode[]) => context.reportError(new GraphQLError(message, { nodes }));
  return {
    Field: (node) => {
      const [type, schema] = [context.getParentType(), context.getSchema()];
      if (type && type === schema.getQueryType()) queries.push(node);
      if (type && type === schema.getMutationType() && node.name.value !== '__typename') changes.push(node);
    },
    Document: {
      leave: () => {
        const reads = queries.filter(({ name }) => name.value === 'parcels');
        if (reads.length > 0 && queries.length > 1) refuse('parcels is charged, so it must be the only field of a request.', queries);
        if (!reads.every(asksForRecords)) refuse('parcels charges for its records: select them, without a directive.', reads);
        if (changes.length > 1) refuse('A request may change one thing: send one request for each.', changes);
      },
    },
  };
}

const asksForRecords = ({ selectionSet }: FieldNode): boolean =>
  selectionSet?.selections.some((one) => one.kind === Kind.FIELD && one.name.value === 'records' && one.directives?.length === 0) ?? false;
