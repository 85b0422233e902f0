import countyNamesAddress from 'virtual:county-names.json';
import { Box } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import { shortId } from '../format/format.js';
import { AccountsDocument, AllTokensDocument, TokenNamesDocument } from '../graphql/operations.js';
import { useRemote } from '../hooks/use-remote.js';
import { type CountyName, findPlaces } from '../map/find-places.js';
import { stateName } from '../map/states.js';
import { paths } from '../paths.js';
import { getJson } from '../public-api.js';
import { type Choice, Combobox } from '../ui/combobox.js';
import { Dialog, useCloseDialog } from '../ui/dialogs/dialog.js';

export interface NavigationEntry {
  label: string;
  href: string;
}

interface Found extends Choice {
  path: string;
}

/** Things to find in a console beside its pages: counties, entries, and those that only this console has. */
const finders = {
  customer: { countyPath: paths.county, entryPath: paths.ledgerEntry, useFound: useOwnTokens },
  operator: { countyPath: paths.adminCounty, entryPath: paths.adminLedgerEntry, useFound: useAccountsAndTokens },
};

export type ConsoleName = keyof typeof finders;

/** Finds tokens by their names and ids; each leads to its entries. */
function useOwnTokens(text: string): Found[] {
  const [{ data }] = useQuery({ query: TokenNamesDocument });
  const wanted = text.toLowerCase();
  return (data?.tokens ?? [])
    .filter(({ id, name }) => name.toLowerCase().includes(wanted) || id.startsWith(wanted))
    .slice(0, 8)
    .map((token) => toChoice(token, paths.ledgerOf));
}

/** Finds accounts and tokens as their lists do. */
function useAccountsAndTokens(text: string): Found[] {
  const [search] = useDebouncedValue(text, 200);
  const page = { search, limit: 5, offset: 0 };
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
    ...(tokens.data?.tokens ?? []).map((token) => toChoice(token, paths.adminLedgerOf)),
  ];
}

const toChoice = ({ id, name }: { id: string; name: string }, pathOf: (id: string) => string): Found => ({
  key: id,
  label: name,
  hint: `token · ${shortId(id)}`,
  path: pathOf(id),
});

interface FindDialogProps {
  of: ConsoleName;
  navigation: NavigationEntry[];
}

const entryId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const fetchCountyNames = (signal: AbortSignal) => getJson<CountyName[]>(countyNamesAddress, signal);

/** Goes to a page, a county, a token, an entry or an account by a part of its name or by its id. */
export function FindDialog({ of, navigation }: FindDialogProps) {
  const finder = finders[of];
  const close = useCloseDialog();
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const names = useRemote(fetchCountyNames, 'county names');
  const wanted = text.trim();
  const pages = navigation.filter(({ label }) => label.toLowerCase().includes(wanted.toLowerCase()));
  const counties = findPlaces(wanted, names.data ?? [], () => false).flatMap((place) => (place.kind === 'county' ? [place] : []));
  const choices: Found[] = [
    ...pages.map(({ label, href }) => ({ key: href, label, hint: 'page', path: href })),
    ...(entryId.test(wanted) ? [{ key: wanted, label: wanted, hint: 'entry', path: finder.entryPath(wanted.toLowerCase()) }] : []),
    ...finder.useFound(wanted),
    ...counties.map(({ fips, name, state }) => ({
      key: fips,
      label: `${name}, ${stateName(state)}`,
      hint: `county · ${fips}`,
      path: finder.countyPath(fips),
    })),
  ];
  return (
    <Dialog title="Find">
      {/* The list hangs below the field. */}
      <Box mih={420}>
        <Combobox
          label="Find a page, a county, a token or an entry"
          placeholder="Name or id"
          text={text}
          onText={setText}
          choices={choices}
          onChoose={({ path }) => {
            close();
            navigate(path);
          }}
          empty={names.isLoading ? 'Searching …' : 'Nothing found.'}
          hasFocus
        />
      </Box>
    </Dialog>
  );
}
