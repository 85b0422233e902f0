import countyNamesAddress from 'virtual:county-names';
import { useDeferredValue, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { type CountyName, findPlaces, type Place } from '../map/find-places.js';
import { stateName } from '../map/states.js';
import { statusWords } from '../map/status-words.js';
import { type Choice, Combobox } from '../parts/combobox.js';
import { formatCount } from '../parts/format.js';
import { paths } from '../paths.js';
import { getJson, kindOf, type StartedCounty } from '../public-api.js';

interface PlaceChoice extends Choice {
  path: string;
}

/** Finds a county by its name, its state or its code, or a state. The names are fetched when the field is entered. */
export function PlaceSearch({ started }: { started: StartedCounty[] | undefined }) {
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [names, setNames] = useState<CountyName[]>();
  const known = useMemo(() => new Map((started ?? []).map((county) => [county.fips, county])), [started]);
  const wanted = useDeferredValue(text);
  const choices = useMemo(
    () => findPlaces(wanted, names ?? [], (fips) => known.has(fips)).map((place) => toChoice(place, known)),
    [wanted, names, known],
  );
  const fetchNames = () => {
    if (names) return;
    getJson<CountyName[]>(countyNamesAddress, new AbortController().signal).then(setNames, () => {}); // entering the field tries again
  };

  return (
    <Combobox
      label="Find a county or state"
      placeholder="County, state or FIPS code"
      text={text}
      onText={setText}
      choices={choices}
      onChoose={({ path }) => {
        setText('');
        navigate(path);
      }}
      empty={names ? 'No county or state is called so.' : 'Looking …'}
      onFocus={fetchNames}
    />
  );
}

function toChoice(place: Place, known: Map<string, StartedCounty>): PlaceChoice {
  if (place.kind === 'state') {
    return { key: place.code, label: stateName(place.code), hint: 'state', path: paths.stateCounties(place.code) };
  }
  const county = known.get(place.fips);
  const words = statusWords[kindOf(county)].label;
  return {
    key: place.fips,
    label: `${place.name}, ${stateName(place.state)}`,
    hint: county?.parcelCount ? `${words}, ${formatCount(county.parcelCount)} records` : `${place.fips} · ${words}`,
    path: paths.county(place.fips),
  };
}
