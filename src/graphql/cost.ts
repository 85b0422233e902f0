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

// A question to the database counts for as much as this many values.
const questionCost = 50;
// How many rows a list has that no `limit` bounds: by itself, and in each row of another one.
const [unboundedRows, unboundedRowsWithin] = [100, 2];

/** An operation, in the parts that tell what it costs. */
export interface Costed {
  root: GraphQLObjectType;
  selections: SelectionSetNode;
  fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  variables: Record<string, unknown>;
}

/** What surrounds a field: the rows that a page promises for the list in it, and what a list without a promise has. */
interface Around {
  rows: number | undefined;
  unbounded: number;
}

/**
 * How many values an operation may return, lists counted in full: a list has as many rows as its own `limit`, or that of the page
 * around it, allows, or as its field says by the extension `rows`. Each question to the database counts for some more.
 */
export function costOf({ root, selections, fragments, variables }: Costed): number {
  // Each fragment is reckoned once: fragments that spread others many times would else take seconds.
  const known = new Map<string, number>();
  return ofSelections(selections, root, { rows: undefined, unbounded: unboundedRows });

  function ofSelections(set: SelectionSetNode, type: GraphQLObjectType, around: Around): number {
    return set.selections.reduce((sum, selection) => {
      if (selection.kind === Kind.FIELD) return sum + ofField(selection, type, around);
      if (selection.kind === Kind.INLINE_FRAGMENT) return sum + ofSelections(selection.selectionSet, type, around);
      return sum + ofFragment(selection.name.value, type, around);
    }, 0);
  }

  function ofFragment(name: string, type: GraphQLObjectType, around: Around): number {
    const key = [name, type.name, around.rows, around.unbounded].join(' ');
    const cost = known.get(key) ?? ofSelections(fragments.get(name)!.selectionSet, type, around);
    known.set(key, cost);
    return cost;
  }

  function ofField(node: FieldNode, parent: GraphQLObjectType, around: Around): number {
    const field = parent.getFields()[node.name.value];
    if (!field) return 1; // __typename
    const promised = rowsOf(field, node);
    const own = (parent === root ? questionCost : 1) + (promised ?? 0);
    const type = getNamedType(field.type);
    if (!node.selectionSet || !isObjectType(type)) return own;
    const rows = promised ?? around.rows;
    const isList = isListType(getNullableType(field.type));
    if (!isList) return own + ofSelections(node.selectionSet, type, { rows, unbounded: around.unbounded });
    return own + (rows ?? around.unbounded) * ofSelections(node.selectionSet, type, { rows: undefined, unbounded: unboundedRowsWithin });
  }

  function rowsOf(field: GraphQLField<unknown, unknown>, node: FieldNode): number | undefined {
    if (!field.args.some(({ name }) => name === 'limit')) return field.extensions.rows as number | undefined;
    const { limit } = getArgumentValues(field, node, variables);
    return typeof limit === 'number' ? Math.max(0, limit) : undefined;
  }
}
