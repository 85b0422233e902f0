import { Badge, Box, Code, Group, Stack, Text, Title } from '@mantine/core';
import { CodeBlock } from '../ui/code/code-block.js';
import { DataTable } from '../ui/tables/data-table.js';
import classes from './docs-page.module.css';
import {
  type Answer,
  type Content,
  describeAllowedValues,
  describeType,
  type OpenApi,
  type Operation,
  resolve,
  type Schema,
} from './openapi.js';
import { RichText } from './rich-text.js';
import { SchemaFields } from './schema-fields.js';

interface OperationSectionProps {
  document: OpenApi;
  id: string;
  method: string;
  path: string;
  operation: Operation;
}

/** One operation: its description, parameters and answers. */
export function OperationSection({ document, id, method, path, operation }: OperationSectionProps) {
  const parameters = (operation.parameters ?? []).map((parameter) => resolve(document, parameter));
  const body = operation.requestBody && resolve(document, operation.requestBody).content;
  return (
    <Box component="section" id={id} pb={48} className={classes.operation} aria-labelledby={`${id}-title`}>
      <Title order={3} id={`${id}-title`} size="h4" mb="xs">
        <Code fz="md" fw={700}>
          {method.toUpperCase()} {path}
        </Code>
      </Title>
      <Group gap="xs" mb="sm">
        <Text fw={600}>{operation.summary}</Text>
        <Badge variant="default" tt="none">
          {credentialInWords(operation)}
        </Badge>
      </Group>
      {operation.description && <RichText text={operation.description} />}
      {parameters.length > 0 && (
        <DataTable
          label={`Parameters of ${method.toUpperCase()} ${path}`}
          rows={parameters}
          keyOf={({ name }) => name}
          empty=""
          columns={[
            { title: 'Parameter', cell: ({ name }) => <Code id={`${id}-${name}`}>{name}</Code> },
            { title: 'In', cell: (parameter) => parameter.in + (parameter.required ? ', required' : '') },
            { title: 'Type', cell: ({ schema }) => schema && describeType(document, schema) },
            { title: 'Allowed', cell: ({ schema }) => (schema && describeAllowedValues(document, schema)) ?? '–', isText: true },
            { title: 'Default', cell: ({ schema }) => schema && defaultInWords(resolve(document, schema)) },
            { title: 'Meaning', cell: ({ description }) => description && <RichText text={description} size="sm" />, isText: true },
          ]}
        />
      )}
      {body && <Payload document={document} title={`Body of ${method.toUpperCase()} ${path}`} content={body} />}
      <Stack mt="md" gap="md">
        {Object.entries(operation.responses).map(([status, unresolved]) => (
          <AnswerPart
            key={status}
            document={document}
            status={status}
            answer={resolve(document, unresolved)}
            title={`${method.toUpperCase()} ${path}`}
          />
        ))}
      </Stack>
    </Box>
  );
}

function AnswerPart({ document, status, answer, title }: { document: OpenApi; status: string; answer: Answer; title: string }) {
  return (
    <div>
      <Group gap="xs" align="baseline" wrap="nowrap" mb={4}>
        <Code fw={700} flex="none">
          {status}
        </Code>
        <RichText text={answer.description} />
      </Group>
      {/* All errors have the same body, which the guide explains. */}
      {status.startsWith('2') && answer.content && (
        <Payload document={document} title={`Answer ${status} of ${title}`} content={answer.content} />
      )}
    </div>
  );
}

function Payload({ document, title, content }: { document: OpenApi; title: string; content: Content }) {
  const media = content['application/json'] ?? Object.values(content)[0];
  if (!media) return null;
  const firstExample = Object.values(media.examples ?? {})[0];
  const example = media.example ?? (firstExample && resolve(document, firstExample).value);
  return (
    <Stack gap="sm">
      {media.schema && <SchemaFields document={document} schema={media.schema} label={title} />}
      {example !== undefined && <CodeBlock title={`Example: ${title}`} code={JSON.stringify(example, null, 2)} />}
    </Stack>
  );
}

function credentialInWords(operation: Operation): string {
  const names = (operation.security ?? []).flatMap(Object.keys).join(' ').toLowerCase();
  if (/bearer|token/.test(names)) return 'bearer token';
  if (/session|cookie/.test(names)) return 'session cookie';
  if (/sign|stripe/.test(names)) return 'signature';
  return 'public';
}

const defaultInWords = (schema: Schema): string => (schema.default === undefined ? '–' : String(schema.default));
