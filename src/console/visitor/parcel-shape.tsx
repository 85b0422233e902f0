import { Text } from '@mantine/core';
import type { MultiPolygon, Polygon, Position } from 'geojson';
import { formatCount } from '../format/format.js';
import { joined } from '../parcel-map/drawn-parcel.js';
import classes from './sample-record-part.module.css';

const metersPerDegree = 111_320;
const feetPerMeter = 3.28084;

/** A parcel's outline as published by the county, in true proportions, with north up. */
export function ParcelShape({ geometry, acres }: { geometry: unknown; acres: { gis_acres?: number | null } }) {
  const rings = ringsOf(geometry as Polygon | MultiPolygon | null | undefined);
  if (rings.length === 0) return <Text>This record has no shape.</Text>;
  const points = rings.flat();
  const [west, south, east, north] = joined(points.map(([x, y]) => [x!, y!, x!, y!]));
  // A degree of longitude gets shorter with the distance from the equator.
  const shrink = Math.cos((((north + south) / 2) * Math.PI) / 180);
  const at = ([x, y]: Position) => `${round((x! - west) * shrink * metersPerDegree)} ${round((north - y!) * metersPerDegree)}`;
  const [width, height] = [(east - west) * shrink * metersPerDegree, (north - south) * metersPerDegree];
  const feet = `${formatCount(width * feetPerMeter)} by ${formatCount(height * feetPerMeter)} feet`;
  return (
    <figure style={{ margin: 0 }}>
      <svg
        viewBox={`0 0 ${round(width)} ${round(height)}`}
        className={classes.shape}
        role="img"
        aria-label={`The parcel's outline, ${feet}`}
      >
        <path d={rings.map((ring) => `M${ring.map(at).join('L')}Z`).join('')} />
      </svg>
      <Text component="figcaption" size="sm" mt={6}>
        {feet}, {formatCount(points.length - rings.length)} corners
        {acres.gis_acres ? `, ${acres.gis_acres} acres` : ''}
      </Text>
    </figure>
  );
}

const ringsOf = (geometry: Polygon | MultiPolygon | null | undefined): Position[][] => {
  if (!geometry) return [];
  return geometry.type === 'Polygon' ? geometry.coordinates : geometry.coordinates.flat();
};

const round = (meters: number): number => Math.round(meters * 100) / 100;
