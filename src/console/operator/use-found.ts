import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from 'urql';
import { shortId } from '../format/format.js';
import { AccountsDocument, AllTokensDocument } from '../graphql/operations.js';
import { paths } from '../paths.js';
import type { Finder, Found } from '../shell/find-dialog.js';

const limit = 5;

/** Finds accounts and tokens as their lists do. */
function useFound(text: string): Found[] {
  const [search] = useDebouncedValue(text, 200);
  const page = { search, limit, offset: 0 };
  const pause = search === '';
  const [accounts] = useQuery({ query: AccountsDocument, variables: { ...page, sort: 'newest' }, pause });
  const [tokens] = useQuery({ query: AllTokensDocument, variables: { ...page, everybody: true }, pause });
  return [
    ...(accounts.data?.accounts.accounts ?? []).map(({ id, email, name }) => ({
      key: id,
      label: email,
      hint: `account · ${name}`,
      path: paths.adminAccount(id),
    })),
    ...(tokens.data?.tokens ?? []).map(({ id, name }) => ({
      key: id,
      label: name,
      hint: `token · ${shortId(id)}`,
      path: paths.adminLedgerOf(id),
    })),
  ];
}

export const operatorFinder: Finder = { countyPath: paths.adminCounty, entryPath: paths.adminLedgerEntry, useFound };
