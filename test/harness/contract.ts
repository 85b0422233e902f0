import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { load } from 'js-yaml';
import { plainText, visibleText } from '../../src/core/parameters.js';
import { projectFile } from '../../src/core/project-files.js';

export const methods = ['get', 'head', 'post'];

export interface Operation {
  operationId: string;
  description?: string;
  security: object[];
  parameters?: Parameter[];
  requestBody?: { content: { 'application/json': { schema: { properties?: object }; example: object } } };
  responses: Record<string, ResponseContract>;
}

interface Parameter {
  name: string;
  in: string;
  schema?: object;
  example?: unknown;
}

interface ResponseContract {
  $ref?: string;
  description?: string;
  headers?: Record<string, object>;
  content?: Record<string, { schema: object; example?: unknown }>;
}

type PathItem = Record<string, Operation> & { parameters?: Parameter[] };

/** schema/openapi.yaml, the REST contract that people read. */
export const contract: {
  paths: Record<string, PathItem>;
  components: { responses: Record<string, ResponseContract>; schemas: Record<string, { properties: Record<string, Field> }> };
} = load(readFileSync(projectFile('schema/openapi.yaml'), 'utf8')) as typeof contract;

/** The methods of a path of the contract. */
export const methodsOf = (path: string): string[] => Object.keys(contract.paths[path]!).filter((key) => methods.includes(key));

const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
// The patterns of lines are what every language can check. The descriptions beside them, and the service, say more.
const { OneLine, TellingLine, ...schemas } = contract.components.schemas;
const lines = { OneLine: { ...OneLine, pattern: plainText.source }, TellingLine: { ...TellingLine, pattern: visibleText.source } };
ajv.addSchema({ ...contract, components: { ...contract.components, schemas: { ...schemas, ...lines } }, $id: 'contract' });

// A path without parameters is not mistaken for one with.
const templates = Object.keys(contract.paths)
  .toSorted((one, other) => Number(one.includes('{')) - Number(other.includes('{')))
  .map((template) => ({ template, pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`) }));

/** Headers that tell a caller something. All others are alike on every answer. */
const tellingHeaders = [
  ...[
    'x-request-id',
    'link',
    'etag',
    'idempotency-replayed',
    'ledger-hash',
    'record-digests',
    'retry-after',
    'www-authenticate',
    'set-cookie',
    'location',
    'allow',
  ],
];

const validators = new Map<string, ValidateFunction>();

/** A service's answer. */
interface Answered {
  method: string;
  path: string;
  status: number;
  headers: Headers;
  /** Parsed if it is JSON. */
  body: unknown;
}

/** Throws unless the contract has this operation with this status, these headers, and a body of this shape. */
export function checkAgainstContract(answered: Answered): void {
  const { method, path, status, body } = answered;
  const template = templates.find(({ pattern }) => pattern.test(path))?.template;
  if (!template && !path.startsWith('/api')) return; // a page, or the console's own
  const said = template && saidOf(template, method, status);
  const fault = said ? faultOf(said, answered) : undocumentedFaultOf(template, answered);
  if (fault) throw new Error(`${method} ${path} ${status} breaks schema/openapi.yaml: ${fault} in ${JSON.stringify(body)?.slice(0, 500)}`);
}

function faultOf(said: ResponseContract, { method, headers, body }: Answered): string | undefined {
  if (!headers.has('x-request-id')) return 'there is no X-Request-Id';
  const known = Object.keys(said.headers ?? {}).map((name) => name.toLowerCase());
  const unknown = tellingHeaders.find((name) => headers.has(name) && !known.includes(name));
  if (unknown) return `it has a header ${unknown}`;
  const validate = method === 'HEAD' ? undefined : validatorOf(said);
  if (!validate) return body === '' ? undefined : 'it has a body';
  return validate(body) ? undefined : ajv.errorsText(validate.errors);
}

/** The contract's rule, at its beginning, for all other paths and methods. */
function undocumentedFaultOf(template: string | undefined, { method, status, headers, body }: Answered): string | undefined {
  if (template && methodsOf(template).includes(method.toLowerCase())) return 'it does not know the status';
  if (template && !headers.has('allow') && (status === 204 || status === 405)) return 'there is no Allow';
  if (template && method === 'OPTIONS') return status === 204 ? undefined : 'it is not 204';
  const validate = validatorOf({ content: { 'application/json': { schema: { $ref: '#/components/schemas/ApiError' } } } })!;
  if (!validate(body)) return ajv.errorsText(validate.errors);
  const expected = [template ? 'method_not_allowed' : 'not_found', 'forbidden_origin'];
  return expected.includes((body as { error: string }).error) ? undefined : `it is not ${expected[0]}`;
}

/** The contract's rule, at its beginning, for requests that are no acceptable HTTP. */
const refused = Object.fromEntries([408, 413, 417, 431].map((status) => [status, { $ref: '#/components/responses/Refused' }]));

function saidOf(template: string, method: string, status: number): ResponseContract | undefined {
  const responses = contract.paths[template]![method.toLowerCase()]?.responses;
  const said: ResponseContract | undefined = responses?.[status] ?? (status >= 400 ? responses?.default : undefined) ?? refused[status];
  return said?.$ref ? contract.components.responses[said.$ref.split('/').at(-1)!] : said;
}

/** The faults of the examples of an operation's answers. */
export const faultsOfExamples = ({ responses }: Operation): string[] =>
  Object.entries(responses).flatMap(([status, named]) => {
    const said = named.$ref ? contract.components.responses[named.$ref.split('/').at(-1)!]! : named;
    const media = said.content?.['application/json'];
    if (!media) return [];
    const validate = validatorOf(said)!;
    if (media.example === undefined) return [`${status} has no example`];
    return validate(media.example) ? [] : [`${status}: ${ajv.errorsText(validate.errors)}`];
  });

/** Whether something is of a shape that the contract describes. */
export const fitsContract = (schema: object, value: unknown): boolean =>
  validatorOf({ content: { 'application/json': { schema } } })!(value);

/** A shape, looked up where only its name is said. */
export function resolved(schema: { $ref?: string; properties?: Record<string, object> }): { properties?: Record<string, object> } {
  return schema.$ref ? resolved(contract.components.schemas[schema.$ref.split('/').at(-1)!]!) : schema;
}

/** The faults of the examples of an operation's requests. */
export function faultsOfRequest({ requestBody, parameters = [] }: Operation, ofPath: Parameter[] = []): string[] {
  const named = [...ofPath, ...parameters].filter(({ example }) => example !== undefined);
  const sent: { name: string; schema?: object; example?: unknown }[] = named;
  const body = requestBody?.content['application/json'];
  return [...sent, ...(body ? [{ name: 'body', ...body }] : [])].flatMap(({ name, schema, example }) => {
    const validate = validatorOf({ content: { 'application/json': { schema: schema! } } })!;
    return validate(example) ? [] : [`${name}: ${ajv.errorsText(validate.errors)}`];
  });
}

interface Field {
  description?: string;
  examples?: unknown[];
}

/** The faults of the contract's description of a record's fields. */
export function faultsOfRecordFields(): string[] {
  const { properties } = contract.components.schemas.Parcel!;
  return Object.entries(properties).flatMap(([name, { description, examples = [] }]) => {
    const validate = ajv.compile({ $ref: `contract#/components/schemas/Parcel/properties/${name}` });
    if (!description) return [`${name} has no description`];
    return examples.length > 0 && examples.every((example) => example !== null && validate(example)) ? [] : [`${name}: its examples`];
  });
}

/** Compiled once each: that costs more than many answers do. */
function validatorOf(said: ResponseContract): ValidateFunction | undefined {
  const schema = said.content?.['application/json']?.schema;
  if (!schema) return undefined;
  const text = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"contract#/'); // taken out of its document, it has to name it
  if (!validators.has(text)) validators.set(text, ajv.compile(JSON.parse(text)));
  return validators.get(text);
}
