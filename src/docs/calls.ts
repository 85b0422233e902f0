import { examples } from './examples.js';
import { type OpenApi, type Parameter, type ReferenceEntry, referenceEntries, resolve, type Schema } from './openapi.js';
import { credentialInWords } from './operations.js';
import { curlOf, type ReadRequest, requestCode } from './request-code.js';

/** The values of an operation's parameters, by name. An empty one is left out. */
export type Values = Record<string, string>;

export interface Input extends Parameter {
  schema: Schema;
}

/** The parameters of an operation, in the order of the contract. */
export const inputsOf = (document: OpenApi, { operation }: ReferenceEntry): Input[] =>
  (operation.parameters ?? [])
    .map((parameter) => resolve(document, parameter))
    .map((parameter) => ({ ...parameter, schema: resolve(document, parameter.schema ?? {}) }));

/** Whether a form can call it: not what signs in or out, which would change whose page it is, and not what only Stripe can sign. */
export const isCallable = ({ path, operation }: ReferenceEntry): boolean =>
  !path.startsWith('/api/auth/') && credentialInWords(operation) !== 'signature';

/** The operation that an example calls. */
export const entryOf = (document: OpenApi, { path }: ReadRequest): ReferenceEntry | undefined =>
  referenceEntries(document).find((entry) => entry.method === 'get' && entry.path === path.split('?')[0]);

/** A form's first values: those of a request, by default of the one that the docs show for the operation. */
export function firstValues(document: OpenApi, entry: ReferenceEntry, request = shownRequest(entry)): Values {
  const examplesInPath = inputsOf(document, entry).filter(({ in: place }) => place === 'path');
  return {
    ...Object.fromEntries(examplesInPath.map(({ name, example }) => [name, String(example ?? '')])),
    ...Object.fromEntries(new URLSearchParams(request?.path.split('?')[1])),
    ...request?.headers,
  };
}

const shownRequest = ({ id }: ReferenceEntry): ReadRequest | undefined => Object.values(examples).find(({ of }) => of?.[0] === id)?.request;

export interface Call {
  method: string;
  /** With its query. */
  path: string;
  /** Without the credential. */
  headers: Record<string, string>;
}

export function callOf(document: OpenApi, entry: ReferenceEntry, values: Values): Call {
  const given = inputsOf(document, entry).filter(({ name }) => values[name]);
  const placed = (place: string) => given.filter((input) => input.in === place).map(({ name }): [string, string] => [name, values[name]!]);
  const query = String(new URLSearchParams(placed('query')));
  // A quote would end the path in the programs that show it.
  const inPath = (name: string) => encodeURIComponent(values[name] || '-').replaceAll("'", '%27');
  const path = entry.path.replace(/\{(\w+)\}/g, (_, name) => inPath(name));
  return { method: entry.method.toUpperCase(), path: query ? `${path}?${query}` : path, headers: Object.fromEntries(placed('header')) };
}

/** The call as programs, in curl alone if it takes a session. The token is in the variable `API_TOKEN`. */
export function codesOf({ operation }: ReferenceEntry, { method, path, headers }: Call) {
  const credential = credentialInWords(operation);
  if (credential === 'session cookie') return { curl: curlOf({ method, path, credential, body: undefined }) };
  return requestCode({ path, headers, isPublic: credential === 'public' });
}

/** The most credits that a call can cost. A limit that the service refuses costs nothing. */
export function maxCredits(document: OpenApi, entry: ReferenceEntry, values: Values): number {
  const limit = entry.id === 'parcels' ? inputsOf(document, entry).find(({ name }) => name === 'limit') : undefined;
  if (!limit) return 0;
  const wanted = values.limit ? Number(values.limit) : Number(limit.schema.default);
  const { minimum = 0, maximum = 0 } = limit.schema;
  return Number.isInteger(wanted) && wanted >= minimum && wanted <= maximum ? wanted : 0;
}
