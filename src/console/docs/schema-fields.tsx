import { Code, Text } from '@mantine/core';
import { DataTable } from '../ui/tables/data-table.js';
import {
  describeAllowedValues,
  describeType,
  fieldsOf,
  inJson,
  type OpenApi,
  type Ref,
  recordSchema,
  resolve,
  type Schema,
} from './openapi.js';
import { RichText } from './rich-text.js';

interface SchemaFieldsProps {
  document: OpenApi;
  schema: Ref<Schema>;
  label: string;
  /** Each field gets an id: this prefix and its name. */
  idPrefix?: string;
}

/** The fields of an answer in one table. Nested fields are shown by path. */
export function SchemaFields({ document, schema, label, idPrefix }: SchemaFieldsProps) {
  const rows = flatten(document, schema, '', 0);
  const hasExamples = rows.some(({ field }) => field.examples);
  if (rows.length === 0) return null;
  return (
    <DataTable
      label={label}
      rows={rows}
      keyOf={({ path }) => path}
      empty=""
      columns={[
        { title: 'Field', cell: ({ path }) => <Code {...(idPrefix && { id: idPrefix + path })}>{path}</Code> },
        { title: 'Type', cell: ({ field }) => <Type document={document} field={field} /> },
        ...(hasExamples ? [{ title: 'Example', cell: ({ field }: FieldRow) => <Sample field={field} />, isText: true }] : []),
        { title: 'Meaning', cell: ({ field }) => field.description && <RichText text={field.description} size="sm" />, isText: true },
      ]}
    />
  );
}

interface FieldRow {
  path: string;
  field: Schema;
}

function Type({ document, field }: { document: OpenApi; field: Schema }) {
  const allowed = describeAllowedValues(document, field);
  return (
    <>
      {describeType(document, field)}
      {field['x-unit'] && `, ${field['x-unit']}`}
      {allowed && (
        <Text size="sm" c="dimmed">
          {allowed}
        </Text>
      )}
    </>
  );
}

function Sample({ field: { examples } }: { field: Schema }) {
  return examples && <Code>{inJson(examples[0])}</Code>;
}

// Deeper fields are easier to see in the example beside the table.
const maxDepth = 3;

function flatten(document: OpenApi, unresolved: Ref<Schema>, prefix: string, depth: number): FieldRow[] {
  const schema = resolve(document, unresolved);
  if (schema.items) return flatten(document, schema.items, `${prefix}[]`, depth);
  if (depth === maxDepth) return [];
  return fieldsOf(document, schema).flatMap(([name, field]) => {
    const path = prefix ? `${prefix}.${name}` : name;
    // Records have their own table, and a field with an example needs no more detail.
    if (isListOfRecords(field) || field.examples) return [{ path, field }];
    return [{ path, field }, ...flatten(document, objectOf(document, field), path, depth + 1)];
  });
}

/** The object in a schema that is "this object or null". */
function objectOf(document: OpenApi, field: Schema): Schema {
  const choices = (field.oneOf ?? field.anyOf ?? []).map((choice) => resolve(document, choice));
  return choices.find((choice) => choice.properties || choice.allOf) ?? field;
}

const isListOfRecords = ({ items }: Schema): boolean => items !== undefined && '$ref' in items && items.$ref === recordSchema;
