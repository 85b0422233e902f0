import { Text, Title } from '@mantine/core';
import { CodeBlock } from '../ui/code/code-block.js';
import classes from './docs-page.module.css';
import { type OpenApi, recordSchema, resolve } from './openapi.js';
import { RichText } from './rich-text.js';
import { SchemaFields } from './schema-fields.js';

/** A complete record, and each of its fields with type, unit, example and meaning, all from the OpenAPI document. */
export function RecordSection({ document }: { document: OpenApi }) {
  const schema = { $ref: recordSchema };
  const { description } = resolve(document, schema as { $ref: string } & { description?: string });
  return (
    <section id="record" aria-labelledby="record-title">
      <Title order={2} size="h3" id="record-title" mt={56} mb="sm">
        A record
      </Title>
      {description && <RichText text={description} />}
      <div className={classes.whole}>
        <CodeBlock title="A complete record" code={JSON.stringify(sampleRecord(document), null, 2)} />
      </div>
      <Text my="md">All fields, in the order of a record:</Text>
      <SchemaFields document={document} schema={schema} label="Fields of a record" idPrefix="record-" />
    </section>
  );
}

/** The record in the example answer of `GET /api/parcels` in the OpenAPI document. */
function sampleRecord(document: OpenApi): unknown {
  const answer = document.paths['/api/parcels']?.get?.responses['200'];
  const content = answer && resolve(document, answer).content?.['application/json'];
  return (content?.example as { parcels: unknown[] } | undefined)?.parcels[0];
}
