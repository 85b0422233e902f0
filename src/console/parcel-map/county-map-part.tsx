import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useMemo, useState } from 'react';
import { formatCount, plural } from '../format.js';
import { paths } from '../paths.js';
import { type CountyPageData, NotFoundError, useCountyMap } from '../public-api.js';
import { LoadFailed, Section, TextLink } from '../ui/parts.js';
import type { DrawnParcel } from './drawn-parcel.js';
import { maxTileZoom } from './map-style.js';
import type { Pick as Picking } from './parcel-map.js';
import classes from './parcel-map.module.css';
import { RecordFields } from './record-fields.js';

// Nine times as much as the page: loaded only by those who want to see the map.
const ParcelMap = lazy(() => import('./parcel-map.js'));

interface CountyMapPartProps {
  fips: string;
  name: string;
  /** The one record that is free; undefined: none is shown. */
  sample?: CountyPageData['sampleRecord'];
}

/** All parcels of a county on a map, when somebody asks for it: free of charge, since it has shapes only, and parcel numbers for a session. */
export function CountyMapPart(props: CountyMapPartProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Section title="Map of the parcels" size="h3">
      <Text mb="md" c="dimmed" maw="72ch">
        The shapes of the parcels, to some meters, free of charge. Signed in, you see each exactly and with its number. All else is in the
        records.
      </Text>
      {isOpen ? <OpenedMap {...props} /> : <Button onClick={() => setOpen(true)}>Show the parcels</Button>}
    </Section>
  );
}

function OpenedMap({ fips, name, sample }: CountyMapPartProps) {
  const map = useCountyMap(fips);
  const [pick, setPick] = useState<Picking | null>(null);
  const { releaseId, maxZoom = maxTileZoom } = map.data ?? {};
  const tiles = useMemo(() => (releaseId === undefined ? [] : [{ fips, releaseId, maxZoom }]), [fips, releaseId, maxZoom]);
  const drawn = useMemo(() => sampleParcel(sample), [sample]);
  if (map.error instanceof NotFoundError) return <Text>This county no longer has records, so there is no map.</Text>;
  if (!map.data)
    return map.error ? (
      <LoadFailed what="The map" message={map.error.message} onRetry={map.refetch} />
    ) : (
      <Skeleton className={classes.waiting} aria-busy="true" />
    );
  const { shapes, records, bounds, isGivenUp } = map.data;
  if (isGivenUp) return <Text>There is no map of the newest records: it could not be drawn.</Text>;
  if (shapes === null) {
    return (
      <Stack gap="sm" align="flex-start" role="status">
        <Text>The map of the newest records is being made. That takes a minute or two.</Text>
        <Button variant="default" loading={map.isLoading} onClick={map.refetch}>
          Look again
        </Button>
      </Stack>
    );
  }
  if (!bounds) return <Text>The county publishes no shapes: none of its {plural(records, 'record')} has one, so there is no map.</Text>;
  return (
    <Stack gap="sm">
      <Suspense fallback={<Skeleton className={classes.waiting} aria-busy="true" />}>
        <ParcelMap
          label={`Map of the parcels of ${name}. Arrow keys move it, plus and minus zoom, Enter chooses the parcel in the middle.`}
          tiles={tiles}
          drawn={drawn}
          bounds={bounds}
          marked={pick}
          onPick={setPick}
          onMoved={map.refetch}
          otherwise="The API returns each shape as GeoJSON, and the sample record on this page shows one."
        />
      </Suspense>
      <Text size="sm" c="dimmed">
        {shapes === records ? `${plural(shapes, 'parcel')}.` : `${formatCount(shapes)} of ${plural(records, 'record')} have a shape.`}
        {drawn.length > 0 && ' The free sample record has a colour of its own.'} Zoom in for each parcel.
      </Text>
      <div role="status">{pick && <Picked pick={pick} fips={fips} sample={sample} isSignedIn={maxZoom === maxTileZoom} />}</div>
    </Stack>
  );
}

interface PickedProps extends Pick<CountyMapPartProps, 'fips' | 'sample'> {
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

function sampleParcel(sample: CountyMapPartProps['sample']): DrawnParcel[] {
  const { geometry } = (sample?.record ?? {}) as { geometry?: DrawnParcel['geometry'] };
  return geometry ? [{ key: 'sample', geometry, latitude: null, longitude: null }] : [];
}
