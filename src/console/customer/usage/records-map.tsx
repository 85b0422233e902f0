import { Skeleton, Text } from '@mantine/core';
import { lazy, Suspense, useCallback, useMemo } from 'react';
import { plural } from '../../format/format.js';
import { useRemote } from '../../hooks/use-remote.js';
import { boundsOf, joined } from '../../parcel-map/drawn-parcel.js';
import classes from '../../parcel-map/parcel-map.module.css';
import { fetchCountyMap } from '../../public-api.js';
import type { ReturnedRecord } from './fetch-returned-records.js';

const ParcelMap = lazy(() => import('../../parcel-map/parcel-map.js'));

// Of a read of all loaded counties, the first ones.
const mostCounties = 5;

interface RecordsMapProps {
  records: ReturnedRecord[];
  /** The `parcel_id` of the record that is pointed at in the list or on the map. */
  marked: string | null;
  /** The one whose fields are shown. */
  chosen: string | null;
  onHover: (id: string | null) => void;
  onChoose: (id: string) => void;
}

/** The parcels of a read, over the map of their counties. */
export function RecordsMap({ records, marked, chosen, onHover, onChoose }: RecordsMapProps) {
  const counties = [...new Set(records.map(({ county_fips }) => county_fips))].slice(0, mostCounties).join();
  const tiles = useRemote(useCallback((signal) => fetchTiles(counties.split(','), signal), [counties]));
  const drawn = useMemo(() => records.map(({ parcel_id, ...record }) => ({ key: parcel_id, ...record })), [records]);
  const places = useMemo(() => drawn.map(boundsOf).filter((bounds) => bounds !== null), [drawn]);
  const id = marked ?? chosen;
  const mark = useMemo(() => (id === null ? null : { key: id }), [id]);
  if (places.length === 0) return <Text>None of these records has a location, so there is no map.</Text>;
  const waiting = <Skeleton className={classes.waiting} aria-busy="true" />;
  if (!tiles.data) return waiting;
  const missing = records.length - places.length;
  return (
    <div>
      <Suspense fallback={waiting}>
        <ParcelMap
          label={`Map of ${plural(places.length, 'parcel')}. Arrow keys move it, plus and minus zoom, Enter chooses the parcel in the middle.`}
          tiles={tiles.data}
          drawn={drawn}
          bounds={joined(places)}
          marked={mark}
          shown={chosen}
          onHover={onHover}
          onPick={(pick) => pick && 'key' in pick && onChoose(pick.key)}
          otherwise="The records and all their fields are in the list below."
        />
      </Suspense>
      <Text size="sm" c="dimmed" mt={4}>
        {plural(places.length, 'parcel')} of this read, over the other parcels of the county.
        {missing > 0 && ` ${plural(missing, 'record has', 'records have')} no location.`}
      </Text>
    </div>
  );
}

/** Those that have a map: without one, the parcels are drawn alone. */
async function fetchTiles(counties: string[], signal: AbortSignal) {
  const maps = await Promise.all(
    counties.map((fips) =>
      fetchCountyMap(fips, signal).then(
        ({ releaseId, shapes }) => (shapes ? [{ fips, releaseId }] : []),
        () => [],
      ),
    ),
  );
  return maps.flat();
}
