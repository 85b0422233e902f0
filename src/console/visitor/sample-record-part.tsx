import { Text } from '@mantine/core';
import type { MultiPolygon, Polygon, Position } from 'geojson';
import { formatCount } from '../format.js';
import { joined } from '../parcel-map/drawn-parcel.js';
import { RecordFields } from '../parcel-map/record-fields.js';
import type { CountyPageData } from '../public-api.js';
import { Section } from '../ui/parts.js';
import classes from './sample-record-part.module.css';

interface SampleRecordPartProps {
  sample: NonNullable<CountyPageData['sampleRecord']>;
  /** Whether the county's records are invented. */
  isSample: boolean;
}

/** One record of the county as the API returns it, free of charge, with its shape. */
export function SampleRecordPart({ sample: { record, heldBack }, isSample }: SampleRecordPartProps) {
  const { geometry } = record as { geometry?: unknown };
  return (
    <Section title={isSample ? 'An invented record' : 'A real record'} size="h3">
      <Text mb="md" c="dimmed" maw="72ch">
        One of the first fifty, free of charge.
        {heldBack.length > 0 && ' Fields that may name a person are hidden on this public page. The API returns them.'}
      </Text>
      <div className={classes.columns}>
        <ParcelShape geometry={geometry} acres={record as { gis_acres?: number | null }} />
        <RecordFields label="Fields of the sample record" record={record as Record<string, unknown>} heldBack={heldBack} height="26rem" />
      </div>
    </Section>
  );
}

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
