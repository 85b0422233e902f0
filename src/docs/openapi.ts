/** The part of an OpenAPI 3.1 document that the reference shows. */
export interface OpenApi {
  info: { title: string; version: string; summary?: string; contact: { email?: string } };
  servers: { url: string; description?: string }[];
  tags?: { name: string; description?: string }[];
  paths: Record<string, Partial<Record<Method, Operation>> & { parameters?: Ref<Parameter>[] }>;
  components: { responses: Record<string, Answer>; 'x-errors': Record<string, ErrorMeaning> };
}

/** An error code's status, what it says and what to do. */
export interface ErrorMeaning {
  status: number;
  meaning: string;
  cure: string;
}

export const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type Method = (typeof methods)[number];

export interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: Ref<Parameter>[];
  requestBody?: Ref<{ content?: Content }>;
  responses: Record<string, Ref<Answer>>;
  security?: Record<string, string[]>[];
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Ref<Schema>;
  example?: unknown;
}

export interface Answer {
  description: string;
  headers?: Record<string, Ref<{ description?: string }>>;
  content?: Content;
}

export type Content = Record<string, { schema?: Ref<Schema>; example?: unknown; examples?: Record<string, Ref<{ value?: unknown }>> }>;

export interface Schema {
  type?: string | string[];
  description?: string;
  format?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  items?: Ref<Schema>;
  properties?: Record<string, Ref<Schema>>;
  required?: string[];
  examples?: unknown[];
  /** The unit of its numbers. */
  'x-unit'?: string;
  allOf?: Ref<Schema>[];
  oneOf?: Ref<Schema>[];
  anyOf?: Ref<Schema>[];
}

export type Ref<T> = T | { $ref: string };

/** Follows a reference inside the document. What stands beside it comes first. */
export function resolve<T>(document: OpenApi, value: Ref<T>): T {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as T;
  const { $ref, ...own } = value;
  const target = $ref
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);
  return { ...resolve(document, target as Ref<T>), ...own };
}

/** A schema's type in words: `integer`, `string or null`, `array of object`. */
export function describeType(document: OpenApi, unresolved: Ref<Schema>): string {
  const schema = resolve(document, unresolved);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return [...new Set(choices.map((choice) => describeType(document, choice)))].join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const names = [schema.type ?? (schema.allOf || schema.properties ? 'object' : schema.enum ? 'string' : 'any')].flat();
  const words = names
    .map((name) => (name === 'array' && schema.items ? `array of ${describeType(document, schema.items)}` : name))
    .join(' or ');
  return schema.format ? `${words} (${schema.format})` : words;
}

/** The values that a schema allows, besides its type: `1 to 1000`, `loaded, loading, …`, a pattern. */
export function describeAllowedValues(document: OpenApi, unresolved: Ref<Schema>): string | undefined {
  const { anyOf = [], minimum, maximum, pattern, ...schema } = resolve(document, unresolved);
  const values = schema.enum ?? anyOf.map((choice) => resolve(document, choice)).find((choice) => choice.enum)?.enum;
  if (values) return values.join(', ');
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  if (minimum !== undefined || maximum !== undefined) return maximum === undefined ? `${minimum} or more` : `${maximum} or less`;
  // The others say too little to a reader; the contract has them.
  return pattern && patternWords[pattern];
}

const patternWords: Record<string, string> = {
  '^[0-9]{5}$': 'five digits',
  '^-?[0-9]+\\.[0-9]{2}$': 'two decimals',
  '^[A-Z]{2}$': 'two capital letters',
  '^[A-Za-z]{2}$': 'two letters, in any case',
  '^[\\x21-\\x7e]{1,255}$': '1 to 255 printable characters without spaces',
};

/** The fields of an object; those of its `allOf` parts come first. */
export function fieldsOf(document: OpenApi, unresolved: Ref<Schema>): [name: string, schema: Schema, isRequired: boolean][] {
  const schema = resolve(document, unresolved);
  const inherited = (schema.allOf ?? []).flatMap((part) => fieldsOf(document, part));
  const own = Object.entries(schema.properties ?? {}).map(([name, field]): [string, Schema, boolean] => [
    name,
    resolve(document, field),
    schema.required?.includes(name) ?? false,
  ]);
  return [...inherited, ...own];
}

export interface ReferenceEntry {
  id: string;
  method: string;
  path: string;
  operation: Operation;
}

export function referenceEntries(document: OpenApi): ReferenceEntry[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      if (!operation) return [];
      const id = operation.operationId ?? `${method}${path.replace(/\W+/g, '-')}`;
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      return [{ id, method, path, operation: { ...operation, parameters } }];
    }),
  );
}

/** The schema of a parcel record. */
export const recordSchema = '#/components/schemas/Parcel';

/** The record in the example answer of `GET /api/parcels`. */
export function sampleRecord(document: OpenApi): unknown {
  const answer = document.paths['/api/parcels']?.get?.responses['200'];
  const content = answer && resolve(document, answer).content?.['application/json'];
  return (content?.example as { parcels: unknown[] } | undefined)?.parcels[0];
}

/** The errors that a customer can get, by status. */
export const errorsOf = ({ components }: OpenApi): (ErrorMeaning & { code: string })[] =>
  Object.entries(components['x-errors']).map(([code, error]) => ({ code, ...error }));
