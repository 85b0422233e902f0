import countyNamesAddress from 'virtual:county-names.json';
import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { formatCount } from '../format/format.js';
import { useRemote } from '../hooks/use-remote.js';
import { type CountyName, findPlaces, type Place } from '../map/find-places.js';
import { stateName } from '../map/states.js';
import { statusWords } from '../map/status.js';
import { paths } from '../paths.js';
import { fetchZip, getJson, kindOf, type StartedCounty } from '../public-api.js';
import { type Choice, Combobox } from '../ui/combobox.js';

interface PlaceChoice extends Choice {
  hint: string;
  path: string;
}

/** Finds a county by name, state, FIPS code or ZIP code, or finds a state. The names are loaded when the field is focused. */
export function PlaceSearch({ started }: { started: StartedCounty[] | undefined }) {
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [names, setNames] = useState<CountyName[]>();
  const known = useMemo(() => started && new Map(started.map((county) => [county.fips, county])), [started]);
  const wanted = useDeferredValue(text);
  const zip = /^\s*(\d{5})(-\d{4})?\s*$/.exec(wanted)?.[1];
  const ofZip = useRemote(useCallback(async (signal) => (zip ? { zip, ...(await fetchZip(zip, signal)) } : undefined), [zip]));
  const choices = useMemo(() => {
    const found = findPlaces(wanted, names ?? [], (fips) => known?.has(fips) ?? false).map((place) => toChoice(place, known));
    const counties = zip && ofZip.data?.zip === zip ? ofZip.data.countiesOfZip : [];
    const inZip = counties.map((county) => ({ ...toChoice({ kind: 'county', ...county }, known), key: `zip ${county.fips}` }));
    return [...inZip.map((choice) => ({ ...choice, hint: `ZIP ${zip} · ${choice.hint}` })), ...found];
  }, [wanted, names, known, zip, ofZip.data]);
  const fetchNames = () => {
    if (names) return;
    getJson<CountyName[]>(countyNamesAddress, new AbortController().signal).then(setNames, () => {}); // focusing the field again retries
  };

  return (
    <Combobox
      label="Find a county, state or ZIP code"
      placeholder="County, state, ZIP or FIPS code"
      text={text}
      onText={setText}
      choices={choices}
      onChoose={({ path }) => {
        setText('');
        navigate(path);
      }}
      empty={names && !(zip && ofZip.isLoading) ? 'No matching place.' : 'Searching …'}
      onFocus={fetchNames}
    />
  );
}

/** The hint of a county contains its status only if the statuses are loaded. */
function toChoice(place: Place, known: Map<string, StartedCounty> | undefined): PlaceChoice {
  if (place.kind === 'state') {
    return { key: place.code, label: stateName(place.code), hint: 'state', path: paths.stateCounties(place.code) };
  }
  const county = known?.get(place.fips);
  const words = statusWords[kindOf(county)].label;
  return {
    key: place.fips,
    label: `${place.name}, ${stateName(place.state)}`,
    hint: county?.parcelCount
      ? `${words}, ${formatCount(county.parcelCount)} records`
      : [place.fips, ...(known ? [words] : [])].join(' · '),
    path: paths.county(place.fips),
  };
}
