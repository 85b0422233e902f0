import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';

// A query to the database costs as much as this many values.
const questionCost = 50;
// The assumed rows of a list without `limit`: at the top, and within each row of another list.
const [unboundedRows, unboundedRowsWithin] = [100, 2];

/** The parts of an operation that determine its cost. */
export interface Costed {
  root: GraphQLObjectType;
  selections: SelectionSetNode;
  fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  variables: Record<string, unknown>;
}

/** The surroundings of a field: the rows that a page's `limit` allows for its list, and the assumed rows of a list without a limit. */
interface EnclosingRows {
  rows: number | undefined;
  unbounded: number;
}

/**
 * The most values that an operation may return, plus a cost for each query to the database. A list has as many rows as its own `limit`, the
 * `limit` of the page around it, or its extension `rows` allows.
 */
export function costOf({ root, selections, fragments, variables }: Costed): number {
  // Each fragment is computed once: fragments that spread others many times would otherwise take seconds.
  const known = new Map<string, number>();
  return ofSelections(selections, root, { rows: undefined, unbounded: unboundedRows });

  function ofSelections(set: SelectionSetNode, type: GraphQLObjectType, enclosing: EnclosingRows): number {
    return set.selections.reduce((sum, selection) => {
      if (selection.kind === Kind.FIELD) return sum + ofField(selection, type, enclosing);
      if (selection.kind === Kind.INLINE_FRAGMENT) return sum + ofSelections(selection.selectionSet, type, enclosing);
      return sum + ofFragment(selection.name.value, type, enclosing);
    }, 0);
  }

  function ofFragment(name: string, type: GraphQLObjectType, enclosing: EnclosingRows): number {
    const key = [name, type.name, enclosing.rows, enclosing.unbounded].join(' ');
    const cost = known.get(key) ?? ofSelections(fragments.get(name)!.selectionSet, type, enclosing);
    known.set(key, cost);
    return cost;
  }

  function ofField(node: FieldNode, parent: GraphQLObjectType, enclosing: EnclosingRows): number {
    const field = parent.getFields()[node.name.value];
    if (!field) return 1; // __typename
    const promised = rowsOf(field, node);
    const own = (parent === root ? questionCost : 1) + (promised ?? 0);
    const type = getNamedType(field.type);
    if (!node.selectionSet || !isObjectType(type)) return own;
    const rows = promised ?? enclosing.rows;
    const isList = isListType(getNullableType(field.type));
    if (!isList) return own + ofSelections(node.selectionSet, type, { rows, unbounded: enclosing.unbounded });
    return own + (rows ?? enclosing.unbounded) * ofSelections(node.selectionSet, type, { rows: undefined, unbounded: unboundedRowsWithin });
  }

  function rowsOf(field: GraphQLField<unknown, unknown>, node: FieldNode): number | undefined {
    if (!field.args.some(({ name }) => name === 'limit')) return field.extensions.rows as number | undefined;
    const { limit } = getArgumentValues(field, node, variables);
    return typeof limit === 'number' ? Math.max(0, limit) : undefined;
  }
}
