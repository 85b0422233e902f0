import { Code, Text, Title } from '@mantine/core';
import type { CountyPageData } from '../public-api.js';
import { DataTable } from '../ui/tables/data-table.js';
import { ParcelShape } from './parcel-shape.js';
import classes from './sample-record-part.module.css';

interface SampleRecordPartProps {
  sample: NonNullable<CountyPageData['sampleRecord']>;
  /** Whether the county's records are invented. */
  isSample: boolean;
}

/** One record of the county as the API returns it, free of charge, with its shape. */
export function SampleRecordPart({ sample: { record, heldBack }, isSample }: SampleRecordPartProps) {
  const { geometry, ...fields } = record as Record<string, unknown>;
  const filled = Object.entries(fields).filter(([, value]) => value !== null);
  const empty = Object.keys(fields).filter((name) => fields[name] === null);
  return (
    <section aria-labelledby="sample-title">
      <Title order={2} size="h3" id="sample-title" mb={4}>
        {isSample ? 'An invented record' : 'A real record'}
      </Title>
      <Text mb="md" c="dimmed" maw="72ch">
        One of the first fifty, free of charge.
        {heldBack.length > 0 && ' Fields that may name a person are hidden on this public page. The API returns them.'}
      </Text>
      <div className={classes.columns}>
        <ParcelShape geometry={geometry} acres={record as { gis_acres?: number | null }} />
        <DataTable
          label="Fields of the sample record"
          height="26rem"
          rows={[...filled, ...heldBack.map((name): [string, unknown] => [name, heldBackMark])]}
          keyOf={([name]) => name}
          empty=""
          columns={[
            { title: 'Field', cell: ([name]) => <Code>{name}</Code> },
            { title: 'Value', cell: ([, value]) => valueInWords(value), isText: true },
          ]}
        />
      </div>
      {empty.length > 0 && (
        <Text size="sm" mt="sm" c="dimmed">
          Empty in this record: {empty.join(', ')}.
        </Text>
      )}
    </section>
  );
}

const heldBackMark = Symbol('held back');

function valueInWords(value: unknown) {
  if (value === heldBackMark)
    return (
      <Text span size="sm" c="dimmed" fs="italic">
        hidden here
      </Text>
    );
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
