import { useQuery } from 'urql';
import { shortId } from '../format/format.js';
import { TokenNamesDocument } from '../graphql/operations.js';
import { paths } from '../paths.js';
import type { Finder, Found } from '../shell/find-dialog.js';

/** Finds tokens by their names and ids; each leads to its entries. */
function useFound(text: string): Found[] {
  const [{ data }] = useQuery({ query: TokenNamesDocument });
  const wanted = text.toLowerCase();
  return (data?.tokens ?? [])
    .filter(({ id, name }) => name.toLowerCase().includes(wanted) || id.startsWith(wanted))
    .slice(0, 8)
    .map(({ id, name }) => ({ key: id, label: name, hint: `token · ${shortId(id)}`, path: paths.ledgerOf(id) }));
}

export const customerFinder: Finder = { countyPath: paths.county, entryPath: paths.ledgerEntry, useFound };
