import { Text } from '@mantine/core';
import { useMemo } from 'react';
import { pageLanguage, plural } from '../../format/format.js';
import type { ReturnedRecord } from './fetch-returned-records.js';
import { drawParcels } from './parcel-outlines.js';
import classes from './parcels-map.module.css';

const [width, maxHeight] = [640, 360];
const smallestSeen = 3;
const lengths = new Intl.NumberFormat(pageLanguage, { maximumSignificantDigits: 2, style: 'unit', unit: 'kilometer' });

/** Where the parcels of a read lie to one another: their shapes alone, from the records, with north up. */
export function ParcelsMap({ parcels }: { parcels: ReturnedRecord[] }) {
  const drawing = useMemo(() => drawParcels(parcels, width, maxHeight), [parcels]);
  if (!drawing) return <Text>None of these records says where its parcel is, so there is nothing to draw.</Text>;
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
            {size >= smallestSeen ? <path d={path} /> : <circle cx={x} cy={y} r={smallestSeen} />}
          </g>
        ))}
      </svg>
      <Text component="figcaption" size="sm" c="dimmed">
        {plural(drawing.outlines.length, 'parcel')}, north up; the map is about {lengths.format(drawing.widthKm)} wide.
        {missing > 0 && ` ${plural(missing, 'record has', 'records have')} no place.`}
      </Text>
    </figure>
  );
}
