import { Group, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { formatCount, plural } from '../format.js';
import { useAnswer } from '../graphql/client.js';
import { FindParcelsDocument } from '../graphql/operations.js';
import { paths } from '../paths.js';
import { type CountyPageData, type CountyMap as Described, useHomePage } from '../public-api.js';
import { TextLink } from '../ui/parts.js';
import { PlaceField } from '../visitor/place-search.js';
import { type Bounds, boundsOf, type DrawnParcel } from './drawn-parcel.js';
import { maxTileZoom } from './map-style.js';
import ParcelMap, { type Pick as Picking } from './parcel-map.js';
import { RecordFields } from './record-fields.js';

export interface CountyMapProps {
  fips: string;
  name: string;
  /** The one record that is free; undefined: none is shown. */
  sample?: CountyPageData['sampleRecord'];
}

interface MapProps extends CountyMapProps {
  map: Described & { shapes: number; bounds: Bounds };
  /** The moment to ask whether the release is still current. */
  onMoved: () => void;
}

/** The parcels of a county on a map, with a search, and what is known of the parcel that is chosen. */
export default function CountyMap({ fips, name, sample, map: { releaseId, maxZoom, bounds, shapes, records }, onMoved }: MapProps) {
  const [pick, setPick] = useState<Picking | null>(null);
  const [shown, setShown] = useState<Bounds | null>(null);
  const tiles = useMemo(() => [{ fips, releaseId, maxZoom }], [fips, releaseId, maxZoom]);
  const drawn = useMemo(() => sampleParcel(sample), [sample]);
  const isSignedIn = maxZoom === maxTileZoom;
  const show = (place: Bounds | null, parcel: Picking | null) => {
    setShown(place);
    setPick(parcel);
  };
  return (
    <Stack gap="sm">
      <MapSearch fips={fips} isSignedIn={isSignedIn} bounds={bounds} onShow={show} />
      <ParcelMap
        label={`Map of the parcels of ${name}. Arrow keys move it, plus and minus zoom, Enter chooses the parcel in the middle.`}
        tiles={tiles}
        drawn={drawn}
        bounds={bounds}
        marked={pick}
        shown={shown}
        onPick={setPick}
        onMoved={onMoved}
        otherwise="The API returns each shape as GeoJSON, and the sample record on this page shows one."
      />
      <Text size="sm" c="dimmed">
        {shapes === records ? `${plural(shapes, 'parcel')}.` : `${formatCount(shapes)} of ${plural(records, 'record')} have a shape.`}
        {drawn.length > 0 && ' The free sample record has a colour of its own.'} Zoom in for each parcel.
      </Text>
      <div role="status">{pick && <Picked pick={pick} fips={fips} sample={sample} isSignedIn={isSignedIn} />}</div>
    </Stack>
  );
}

interface MapSearchProps {
  fips: string;
  isSignedIn: boolean;
  /** The whole county. */
  bounds: Bounds;
  onShow: (place: Bounds | null, parcel: Picking | null) => void;
}

const pauseMs = 250;

/** Finds a place, whose county's map is then opened, and for somebody signed in a parcel of this county. */
function MapSearch({ fips, isSignedIn, bounds, onShow }: MapSearchProps) {
  const [location, navigate] = useLocation();
  const home = useHomePage();
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim(), pauseMs);
  // Numbers and addresses of parcels have a digit.
  const pause = !isSignedIn || !/\d/.test(search);
  const found = useAnswer(FindParcelsDocument, { countyFips: fips, search, tokenId: null }, { pause });
  const parcels = (!pause && !found.isOutdated && found.data?.findParcels?.parcels) || [];
  const show = ({ apn, latitude, longitude }: (typeof parcels)[number]) =>
    onShow(boundsOf({ geometry: null, latitude, longitude }), { fips, apns: [apn] });
  return (
    <PlaceField
      started={home.data?.startedCounties}
      isCounty
      label="Find a place on the map"
      placeholder={isSignedIn ? 'Parcel number, address, county, city or ZIP code' : 'County, city or ZIP code'}
      text={text}
      onText={setText}
      others={parcels.map(({ apn }, i) => ({
        key: `parcel ${i}`,
        label: apn ?? 'Parcel without a number',
        hint: 'parcel',
        path: paths.findParcel(fips, apn ?? ''),
      }))}
      isLoading={!pause && found.isLoading}
      empty={isSignedIn ? 'No matching parcel or place.' : 'No matching place. Signed in, you can find parcels by number and address.'}
      onChoose={({ key, label }) => {
        const parcel = parcels.find((_, i) => key === `parcel ${i}`);
        setText(String(label));
        if (parcel) show(parcel);
        else if (key === fips) onShow([...bounds], null);
        else navigate(`${location.replace(fips, key)}#map`);
      }}
    />
  );
}

interface PickedProps extends Pick<CountyMapProps, 'fips' | 'sample'> {
  pick: Picking;
  isSignedIn: boolean;
}

function Picked({ pick, fips, sample, isSignedIn }: PickedProps) {
  if ('key' in pick) {
    const { record, heldBack } = sample!;
    return <RecordFields label="The free sample record" record={record as Record<string, unknown>} heldBack={heldBack} height="22rem" />;
  }
  const numbers = pick.apns.filter((apn) => apn !== null);
  const [one, isOne] = [numbers.slice(0, 20).join(', '), pick.apns.length === 1];
  const number = isOne ? numbers[0] : undefined;
  return (
    <Stack gap={4}>
      <Text fw={600}>
        {numbers.length === 0
          ? isSignedIn
            ? 'A parcel without a number, or too far away for it'
            : 'A parcel: sign in to see its number'
          : `${isOne ? 'Parcel' : 'Parcels'} ${one}`}
        {numbers.length > 20 && ` and ${formatCount(numbers.length - 20)} more`}
      </Text>
      <Group gap="md">
        <Text size="sm">
          {isOne ? 'Its record costs' : 'Each record costs'} one credit. It is among those of <code>/api/parcels?county_fips={fips}</code>.
        </Text>
        <TextLink href={paths.docsRecord} fz="sm">
          What a record has
        </TextLink>
        <TextLink href={number ? paths.findParcel(fips, number) : paths.tryCounty(fips)} fz="sm">
          {number ? 'Buy it' : 'Try it'}
        </TextLink>
      </Group>
    </Stack>
  );
}

function sampleParcel(sample: CountyMapProps['sample']): DrawnParcel[] {
  const { geometry } = (sample?.record ?? {}) as { geometry?: DrawnParcel['geometry'] };
  return geometry ? [{ key: 'sample', geometry, latitude: null, longitude: null }] : [];
}
