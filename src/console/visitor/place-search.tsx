import countyNamesAddress from 'virtual:county-names.json';
import { useDebouncedValue } from '@mantine/hooks';
import { useDeferredValue, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { formatCount } from '../format.js';
import { useRemote } from '../hooks/use-remote.js';
import { type CountyName, findPlaces, type Place } from '../map/find-places.js';
import { stateName } from '../map/states.js';
import { statusWords } from '../map/status.js';
import { paths } from '../paths.js';
import { fetchCity, fetchZip, getJson, inCapitals, kindOf, type StartedCounty } from '../public-api.js';
import { type Choice, Combobox, type ComboboxProps } from '../ui/combobox.js';

interface PlaceChoice extends Choice {
  hint: string;
  path: string;
}

/** The server's answer. */
interface Located {
  /** A ZIP code or a city. */
  by: string;
  counties: { fips: string; name: string; state: string }[];
}

const pauseMs = 250;

/** Opens the page of a place. */
export function PlaceSearch({ started }: Pick<PlaceFieldProps, 'started'>) {
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  return (
    <PlaceField
      label="Find a county, city, state or ZIP code"
      placeholder="County, city, state or ZIP code"
      started={started}
      text={text}
      onText={setText}
      onChoose={({ path }) => {
        setText('');
        navigate(path);
      }}
    />
  );
}

interface PlaceFieldProps extends Pick<ComboboxProps<PlaceChoice>, 'label' | 'placeholder' | 'text' | 'onText' | 'onChoose' | 'field'> {
  started: StartedCounty[] | undefined;
  /** Whether a state is no answer. */
  isCounty?: boolean;
  /** Other choices that match the text, before the places. */
  others?: PlaceChoice[];
  /** Whether more of the others may come. */
  isLoading?: boolean;
  /** Said if nothing matches. */
  empty?: string;
}

/** Finds a county by its name, state, FIPS code, a city in it or a ZIP code, or finds a state. The names are loaded when the field is focused. */
export function PlaceField(props: PlaceFieldProps) {
  const { started, isCounty = false, others = [], isLoading: isWaiting = false, empty = 'No matching place.', ...box } = props;
  const { text, onText } = box;
  const [names, setNames] = useState<CountyName[]>();
  const known = useMemo(() => started && new Map(started.map((county) => [county.fips, county])), [started]);
  const wanted = useDeferredValue(text);
  // The server knows ZIP codes and cities. A city is asked for when typing pauses.
  const [paused] = useDebouncedValue(wanted, pauseMs);
  const zip = /^\s*(\d{5})(-\d{4})?\s*$/.exec(wanted)?.[1];
  const city = zip ? undefined : /^\s*(\p{L}[\p{L}\s.,'’-]+)$/u.exec(paused)?.[1]?.trim();
  const place = zip ?? city;
  const other = useRemote(place && `place ${place}`, async (signal): Promise<Located> => {
    if (zip) return { by: `ZIP ${zip}`, counties: (await fetchZip(zip, signal)).countiesOfZip };
    return { by: inCapitals(city!.replace(/,.*/, '')), counties: (await fetchCity(city!, signal)).countiesOfCity };
  });
  const located = place && !other.isOutdated ? other.data : undefined;
  const choices = useMemo(() => {
    const found = findPlaces(wanted, names ?? [], (fips) => known?.has(fips) ?? false)
      .filter(({ kind }) => !isCounty || kind === 'county')
      .map((place) => toChoice(place, known));
    const counties = (located?.counties ?? []).filter(({ fips }) => !found.some(({ key }) => key === fips));
    const inPlace = counties.map((county): PlaceChoice => {
      const choice = toChoice({ kind: 'county', ...county }, known);
      return { ...choice, hint: `${located!.by} · ${choice.hint}` };
    });
    return zip ? [...inPlace, ...found] : [...found, ...inPlace];
  }, [wanted, names, known, zip, located, isCounty]);
  const isLoading = isWaiting || other.isLoading || paused !== text || (!names && choices.length === 0);
  const fetchNames = () => {
    if (names) return;
    getJson<CountyName[]>(countyNamesAddress).then(setNames, () => {}); // focusing the field again retries
  };

  return (
    <Combobox
      {...box}
      onText={(typed) => {
        onText(typed);
        fetchNames(); // the field may have had the focus before this script ran
      }}
      choices={[...others, ...choices]}
      isLoading={isLoading}
      empty={isLoading ? 'Searching …' : empty}
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
