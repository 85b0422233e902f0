import { Code, Text } from '@mantine/core';
import { DataTable } from '../parts/data-table.js';
import { fieldsOf, type OpenApi, type Ref, resolve, type Schema, typeInWords } from './openapi.js';
import { RichText } from './rich-text.js';

interface SchemaFieldsProps {
  document: OpenApi;
  schema: Ref<Schema>;
  label: string;
}

/** The fields of an answer in one table, nested ones by their path. */
export function SchemaFields({ document, schema, label }: SchemaFieldsProps) {
  const rows = flatten(document, schema, '', 0);
  if (rows.length === 0) return null;
  return (
    <DataTable
      label={label}
      rows={rows}
      keyOf={({ path }) => path}
      empty=""
      columns={[
        { title: 'Field', cell: ({ path }) => <Code>{path}</Code> },
        { title: 'Type', cell: ({ field }) => typeInWords(document, field) },
        { title: 'Meaning', cell: ({ field }) => <Meaning field={field} />, isText: true },
      ]}
    />
  );
}

function Meaning({ field }: { field: Schema }) {
  return (
    <>
      {field.description && <RichText text={field.description} size="sm" />}
      {field.enum && (
        <Text size="sm" c="dimmed">
          one of {field.enum.map(String).join(', ')}
        </Text>
      )}
    </>
  );
}

// Fields that are nested deeper are easier to see in the example beside the table.
const deepest = 3;

function flatten(document: OpenApi, unresolved: Ref<Schema>, prefix: string, depth: number): { path: string; field: Schema }[] {
  const schema = resolve(document, unresolved);
  if (schema.items) return flatten(document, schema.items, `${prefix}[]`, depth);
  if (depth === deepest) return [];
  return fieldsOf(document, schema).flatMap(([name, field]) => {
    const path = prefix ? `${prefix}.${name}` : name;
    return [{ path, field }, ...flatten(document, objectOf(document, field), path, depth + 1)];
  });
}

/** The object of a schema that is "this object or null". */
function objectOf(document: OpenApi, field: Schema): Schema {
  const choices = (field.oneOf ?? field.anyOf ?? []).map((choice) => resolve(document, choice));
  return choices.find((choice) => choice.properties || choice.allOf) ?? field;
}
