import countyNamesAddress from 'virtual:county-names.json';
import { Box } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { shortId } from '../format.js';
import { useAnswer } from '../graphql/client.js';
import { AccountsDocument, AllTokensDocument, TokenNamesDocument } from '../graphql/operations.js';
import { type CountyName, findPlaces } from '../map/find-places.js';
import { stateName } from '../map/states.js';
import { paths } from '../paths.js';
import { useJson } from '../public-api.js';
import { type Choice, Combobox } from '../ui/combobox.js';
import { Dialog, useCloseDialog } from '../ui/dialogs.js';
import { opened } from './page.js';

export interface NavigationEntry {
  label: string;
  href: string;
}

interface Found extends Choice {
  path: string;
}

/** Everything that can be found in a console beside its pages: counties, entries, actions, and what only this console has. */
const finders = {
  customer: {
    countyPath: paths.county,
    ledgerOf: paths.ledgerOf,
    useFound: useOwnTokens,
    actions: { 'Revoke token …': paths.tokens, 'Set cap …': paths.tokens },
  },
  operator: {
    countyPath: paths.adminCounty,
    ledgerOf: paths.adminLedgerOf,
    useFound: useAccountsAndTokens,
    actions: { 'Revoke token …': paths.adminTokens, 'Load county …': paths.adminCounties },
  },
};

export type ConsoleName = keyof typeof finders;

/** Finds tokens by their names and ids. */
function useOwnTokens(text: string) {
  const { data, isLoading } = useAnswer(TokenNamesDocument, {});
  const tokens = (data?.tokens ?? []).filter(({ id, name }) => `${name} ${id}`.toLowerCase().includes(text.toLowerCase()));
  return { accounts: [], tokens: tokens.slice(0, 8), isLoading: isLoading && !data };
}

/** Finds accounts and tokens as their lists do. */
function useAccountsAndTokens(text: string) {
  const [search] = useDebouncedValue(text, 200);
  const page = { search, limit: 5, offset: 0 };
  const pause = search === '';
  const accounts = useAnswer(AccountsDocument, { ...page, sort: 'newest' }, { pause });
  const tokens = useAnswer(AllTokensDocument, { ...page, everybody: true }, { pause });
  return {
    accounts: accounts.data?.page.rows ?? [],
    tokens: tokens.data?.rows ?? [],
    isLoading: search !== text || accounts.isLoading || tokens.isLoading,
  };
}

interface FindDialogProps {
  of: ConsoleName;
  navigation: NavigationEntry[];
}

// The server's rule for what the id of an entry or a request begins with.
const partOfId = /^0[0-9a-f]{7}[0-9a-f-]{0,28}$/i;
const maxRecent = 5;

/** Goes to a page, a county, a token, an entry or an account by a part of its name or id; at first to the latest pages. */
export function FindDialog({ of, navigation }: FindDialogProps) {
  const { countyPath, ledgerOf, useFound, actions } = finders[of];
  const close = useCloseDialog();
  const [location, navigate] = useLocation();
  const [text, setText] = useState('');
  const names = useJson<CountyName[]>(countyNamesAddress);
  const wanted = text.trim();
  const found = useFound(wanted);
  const isLoading = wanted !== '' && (found.isLoading || names.isLoading);
  const counties = findPlaces(wanted, names.data ?? [], () => false).flatMap((place) => (place.kind === 'county' ? [place] : []));
  const recent = [...opened]
    .filter(([path]) => path !== location)
    .reverse()
    .slice(0, maxRecent);
  const places = [
    ...(wanted === '' ? recent.map(([path, label]) => ({ label, hint: 'recent', path })) : []),
    ...navigation.map(({ label, href }) => ({ label, hint: 'page', path: href })),
    ...Object.entries(actions).map(([label, path]) => ({ label, hint: 'action', path })),
  ];
  const choices: Found[] = [
    ...places
      .filter(({ label }) => label.toLowerCase().includes(wanted.toLowerCase()))
      .map((place) => ({ ...place, key: `${place.hint} ${place.label} ${place.path}` })),
    ...(partOfId.test(wanted) ? [{ key: wanted, label: wanted, hint: 'in the ledger', path: ledgerOf({ search: wanted }) }] : []),
    ...found.accounts.map(({ id, email, name }) => ({ key: id, label: email, hint: `account · ${name}`, path: paths.adminAccount(id) })),
    ...found.tokens.map(({ id, name }) => ({ key: id, label: name, hint: `token · ${shortId(id)}`, path: ledgerOf({ token: id }) })),
    ...counties.map(({ fips, name, state }) => ({
      key: fips,
      label: `${name}, ${stateName(state)}`,
      hint: `county · ${fips}`,
      path: countyPath(fips),
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
          isLoading={isLoading}
          empty={isLoading ? 'Searching …' : 'Nothing found.'}
          isInDialog
        />
      </Box>
    </Dialog>
  );
}
