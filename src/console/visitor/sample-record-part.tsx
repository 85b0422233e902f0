import { Box, Group, Paper, Text } from '@mantine/core';
import type { Position } from 'geojson';
import { formatCount } from '../format.js';
import { boundsOf, type DrawnParcel, ringsOf } from '../parcel-map/drawn-parcel.js';
import { RecordFields } from '../parcel-map/record-fields.js';
import type { CountyPageData } from '../public-api.js';
import { Section } from '../ui/parts.js';

interface SampleRecordPartProps {
  sample: NonNullable<CountyPageData['sampleRecord']>;
  /** Whether the county's records are invented. */
  isSample: boolean;
}

/** One record of the county as the API returns it, free of charge, with its shape. */
export function SampleRecordPart({ sample: { record, heldBack }, isSample }: SampleRecordPartProps) {
  return (
    <Section title={isSample ? 'An invented record' : 'A real record'} size="h3">
      <Text mb="md" c="dimmed" maw="72ch">
        One of the first fifty, free of charge.
        {heldBack.length > 0 && ' Fields that may name a person are hidden on this public page. The API returns them.'}
      </Text>
      <Group align="flex-start" gap="lg">
        <Box w={{ base: '100%', md: '20rem' }}>
          <ParcelShape record={record as object} />
        </Box>
        <Box flex={1} miw={{ base: '100%', md: 0 }}>
          <RecordFields label="Fields of the sample record" record={record as Record<string, unknown>} heldBack={heldBack} height="26rem" />
        </Box>
      </Group>
    </Section>
  );
}

const metersPerDegree = 111_320;
const feetPerMeter = 3.28084;

/** A parcel's outline as published by the county, in true proportions, with north up. */
export function ParcelShape({ record }: { record: { geometry?: unknown; gis_acres?: number | null } }) {
  const { geometry = null, gis_acres: acres } = record as { geometry?: DrawnParcel['geometry']; gis_acres?: number | null };
  const bounds = boundsOf({ geometry, latitude: null, longitude: null });
  if (!geometry || !bounds) return <Text>This record has no shape.</Text>;
  const rings = ringsOf(geometry);
  const [west, south, east, north] = bounds;
  // A degree of longitude gets shorter with the distance from the equator.
  const shrink = Math.cos((((north + south) / 2) * Math.PI) / 180);
  const at = ([x, y]: Position) => `${round((x! - west) * shrink * metersPerDegree)} ${round((north - y!) * metersPerDegree)}`;
  const [width, height] = [(east - west) * shrink * metersPerDegree, (north - south) * metersPerDegree];
  const feet = `${formatCount(width * feetPerMeter)} by ${formatCount(height * feetPerMeter)} feet`;
  return (
    <figure style={{ margin: 0 }}>
      <Paper withBorder w="100%" mah="26rem" p="md" style={{ aspectRatio: 1 }}>
        <svg
          width="100%"
          height="100%"
          viewBox={`0 0 ${round(width)} ${round(height)}`}
          role="img"
          aria-label={`The parcel's outline, ${feet}`}
        >
          <path
            d={rings.map((ring) => `M${ring.map(at).join('L')}Z`).join('')}
            fill="color-mix(in srgb, var(--status-loaded) 30%, transparent)"
            fillRule="evenodd"
            stroke="var(--status-loaded)"
            strokeWidth="2"
            strokeLinejoin="round"
            vectorEffect="non-scaling-stroke"
          />
        </svg>
      </Paper>
      <Text component="figcaption" size="sm" mt={6}>
        {feet}, {formatCount(rings.flat().length - rings.length)} corners
        {acres ? `, ${acres} acres` : ''}
      </Text>
    </figure>
  );
}

const round = (meters: number): number => Math.round(meters * 100) / 100;
