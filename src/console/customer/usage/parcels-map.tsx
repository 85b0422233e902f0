import { Text } from '@mantine/core';
import { useMemo } from 'react';
import { pageLanguage, plural } from '../../format/format.js';
import type { ReturnedRecord } from './fetch-returned-records.js';
import { drawParcels } from './parcel-outlines.js';
import classes from './parcels-map.module.css';

const [width, maxHeight] = [640, 360];
const minVisibleSize = 3;
const lengths = new Intl.NumberFormat(pageLanguage, { maximumSignificantDigits: 2, style: 'unit', unit: 'kilometer' });

/** A map of the parcels of one read, from their shapes alone, with north up. */
export function ParcelsMap({ parcels }: { parcels: ReturnedRecord[] }) {
  const drawing = useMemo(() => drawParcels(parcels, width, maxHeight), [parcels]);
  if (!drawing) return <Text>None of these records has a location, so there is no map.</Text>;
  const missing = parcels.length - drawing.outlines.length;
  return (
    <figure className={classes.figure}>
      <svg
        viewBox={`0 0 ${drawing.width} ${drawing.height}`}
        className={classes.map}
        role="img"
        aria-label={`Map of ${plural(drawing.outlines.length, 'parcel')}`}
      >
        {drawing.outlines.map(({ parcel, path, x, y, size }) => (
          <g key={parcel.parcel_id} className={classes.parcel}>
            <title>{[parcel.apn, parcel.situs_address].filter(Boolean).join(', ')}</title>
            {size >= minVisibleSize ? <path d={path} /> : <circle cx={x} cy={y} r={minVisibleSize} />}
          </g>
        ))}
      </svg>
      <Text component="figcaption" size="sm" c="dimmed">
        {plural(drawing.outlines.length, 'parcel')}, north up. The map is about {lengths.format(drawing.widthKm)} wide.
        {missing > 0 && ` ${plural(missing, 'record has', 'records have')} no location.`}
      </Text>
    </figure>
  );
}
