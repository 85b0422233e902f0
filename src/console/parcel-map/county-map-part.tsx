import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { Suspense, useEffect, useRef, useState } from 'react';
import { plural } from '../format.js';
import { NotFoundError, useCountyMap } from '../public-api.js';
import { lazyPage } from '../shell/page-boundary.js';
import { LoadFailed, Section } from '../ui/parts.js';
import type { CountyMapProps } from './county-map.js';
import classes from './parcel-map.module.css';

// Nine times as much as the page: loaded only by those who want to see the map.
const CountyMap = lazyPage(() => import('./county-map.js'));

/** All parcels of a county on a map, when somebody asks for it: free of charge, since it has shapes only, and parcel numbers for a session. */
export function CountyMapPart(props: CountyMapProps) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (window.location.hash !== '#map') return;
    setOpen(true);
    box.current?.scrollIntoView();
  }, []);
  return (
    <Section title="Map of the parcels" size="h3">
      <Text ref={box} mb="md" c="dimmed" maw="72ch">
        The shapes of the parcels, to some meters, free of charge. Signed in, you see each exactly and with its number. All else is in the
        records.
      </Text>
      {isOpen ? <OpenedMap {...props} /> : <Button onClick={() => setOpen(true)}>Show the parcels</Button>}
    </Section>
  );
}

function OpenedMap(props: CountyMapProps) {
  const map = useCountyMap(props.fips);
  const waiting = <Skeleton className={classes.waiting} aria-busy="true" />;
  if (map.error instanceof NotFoundError) return <Text>This county no longer has records, so there is no map.</Text>;
  if (!map.data) return map.error ? <LoadFailed what="The map" message={map.error.message} onRetry={map.refetch} /> : waiting;
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
    <Suspense fallback={waiting}>
      <CountyMap {...props} map={{ ...map.data, shapes, bounds }} onMoved={map.refetch} />
    </Suspense>
  );
}
