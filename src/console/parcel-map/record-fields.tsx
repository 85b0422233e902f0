import { Code, Text } from '@mantine/core';
import { DataTable } from '../ui/tables/data-table.js';

interface RecordFieldsProps {
  label: string;
  record: Record<string, unknown>;
  /** Fields that have a value which is not shown. */
  heldBack?: string[];
  height: string;
}

/** All fields of a record but its shape, which is drawn. */
export function RecordFields({ label, record, heldBack = [], height }: RecordFieldsProps) {
  const { geometry: _, ...fields } = record;
  const filled = Object.entries(fields).filter(([, value]) => value !== null);
  const empty = Object.keys(fields).filter((name) => fields[name] === null);
  return (
    <div>
      <DataTable
        label={label}
        height={height}
        rows={[...filled, ...heldBack.map((name): [string, unknown] => [name, heldBackMark])]}
        keyOf={([name]) => name}
        columns={[
          { title: 'Field', cell: ([name]) => <Code>{name}</Code> },
          { title: 'Value', cell: ([, value]) => valueInWords(value), isText: true },
        ]}
      />
      {empty.length > 0 && (
        <Text size="sm" mt="sm" c="dimmed">
          Empty in this record: {empty.join(', ')}.
        </Text>
      )}
    </div>
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
