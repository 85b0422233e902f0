import { Text } from '@mantine/core';
import { plural } from '../format/format.js';
import { ParcelShape } from '../visitor/parcel-shape.js';
import classes from './try-it.module.css';

/** What is drawn of a record. */
export interface DrawnRecord {
  parcel_id?: string;
  apn?: string | null;
  situs_address?: string | null;
  gis_acres?: number | null;
  geometry?: unknown;
}

const maxDrawn = 6;

/** The records of an answer, drawn. */
export function AnsweredRecords({ records }: { records: DrawnRecord[] }) {
  return (
    <section aria-label="The records, drawn">
      <div className={classes.shapes}>
        {records.slice(0, maxDrawn).map((record, index) => (
          <div key={record.parcel_id ?? index}>
            <Text size="sm" fw={600}>
              {[record.apn, record.situs_address].filter(Boolean).join(', ') || `Record ${index + 1}`}
            </Text>
            <ParcelShape geometry={record.geometry} acres={record} />
          </div>
        ))}
      </div>
      {records.length > maxDrawn && (
        <Text size="sm" c="dimmed" mt="xs">
          The first {maxDrawn} of {plural(records.length, 'record')}.
        </Text>
      )}
    </section>
  );
}
