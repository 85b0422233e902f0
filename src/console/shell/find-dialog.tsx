import countyNamesAddress from 'virtual:county-names.json';
import { Box } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useRemote } from '../hooks/use-remote.js';
import { type CountyName, findPlaces } from '../map/find-places.js';
import { stateName } from '../map/states.js';
import { getJson } from '../public-api.js';
import { type Choice, Combobox } from '../ui/combobox.js';
import { Dialog } from '../ui/dialogs/dialog.js';

export interface NavigationEntry {
  label: string;
  href: string;
}

export interface Found extends Choice {
  path: string;
}

/** What can be found in a console beside its pages. */
export interface Finder {
  countyPath: (fips: string) => string;
  entryPath: (id: string) => string;
  /** What only this console has: tokens, accounts. */
  useFound: (text: string) => Found[];
}

interface FindDialogProps {
  navigation: NavigationEntry[];
  finder: Finder;
  onClose: () => void;
}

const entryId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const fetchCountyNames = (signal: AbortSignal) => getJson<CountyName[]>(countyNamesAddress, signal);

/** Goes to a page, a county, a token, an entry or an account by a part of its name or by its id. */
export function FindDialog({ navigation, finder, onClose }: FindDialogProps) {
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
    <Dialog title="Find" onClose={onClose}>
      {/* The list hangs below the field. */}
      <Box mih={420}>
        <Combobox
          label="Find a page, a county, a token or an entry"
          placeholder="Name or id"
          text={text}
          onText={setText}
          choices={choices}
          onChoose={({ path }) => {
            onClose();
            navigate(path);
          }}
          empty={names.isLoading ? 'Searching …' : 'Nothing found.'}
          hasFocus
        />
      </Box>
    </Dialog>
  );
}
