import { Text } from '@mantine/core';
import { RecordFields } from '../parcel-map/record-fields.js';
import type { CountyPageData } from '../public-api.js';
import { Section } from '../ui/section.js';
import { ParcelShape } from './parcel-shape.js';
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
