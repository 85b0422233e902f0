import { type Example, examples } from './examples.js';
import { type Field, fieldsIn, parametersOf } from './fields.js';
import {
  type Answer,
  type Content,
  errorsOf,
  type OpenApi,
  type Operation,
  type ReferenceEntry,
  referenceEntries,
  resolve,
  type Schema,
} from './openapi.js';
import type { Language } from './programs.js';
import { curlOf } from './request-code.js';

/** The error codes of a status. An answer that is no common error has a meaning of its own instead. */
export interface OperationError {
  status: string;
  codes: string[];
  isOfSignIn: boolean;
  meaning: string | undefined;
}

/** An operation, as the docs show it. */
export interface OperationDoc {
  name: string;
  summary: string;
  description: string;
  /** `bearer token`, `session cookie`, `signature` or `public` */
  credential: string;
  parameters: Field[];
  body: Field[];
  answers: { status: string; description: string; fields: Field[] }[];
  errors: OperationError[];
  request: Partial<Record<Language, string>>;
  /** The answer to the request; undefined if it has no body. */
  answer: unknown;
}

export function describeOperation(document: OpenApi, { id, method, path, operation }: ReferenceEntry): OperationDoc {
  const answers = Object.entries(operation.responses).map(([status, answer]) => [status, resolve(document, answer)] as const);
  const successes = answers.filter(([status]) => /^[23]/.test(status));
  const body = jsonOf(operation.requestBody && resolve(document, operation.requestBody).content);
  return {
    name: `${method.toUpperCase()} ${path}`,
    summary: operation.summary ?? '',
    description: operation.description?.trim() ?? '',
    credential: credentialInWords(operation),
    parameters: parametersOf(document, operation),
    body: body?.schema ? fieldsIn(document, body.schema, true) : [],
    answers: successes.map(([status, { description, content }]) => {
      const schema = jsonOf(content)?.schema;
      // The example beside shows the others.
      const fields = (schema ? fieldsIn(document, schema) : []).filter(({ meaning }) => meaning);
      return { status, description: description.trim(), fields };
    }),
    errors: answers.filter(([status]) => /^[45]/.test(status)).map(([status, answer]) => errorsIn(document, status, answer)),
    request: requestOf(document, { id, method, path, operation }),
    answer: exampleOf(document, successes[0]?.[1].content),
  };
}

/** The whole answer that an example shows. */
export function answerOf(document: OpenApi, { of: [id, status] = ['', ''] }: Example): unknown {
  const answer = referenceEntries(document).find((entry) => entry.id === id)?.operation.responses[status];
  return answer && exampleOf(document, resolve(document, answer).content);
}

/** The example of an answer or a body. */
export function exampleOf(document: OpenApi, content: Content | undefined): unknown {
  const media = jsonOf(content);
  const [first] = Object.values(media?.examples ?? {});
  return media?.example ?? (first && resolve(document, first).value);
}

const jsonOf = (content: Content | undefined) => content?.['application/json'] ?? Object.values(content ?? {})[0];

function requestOf(document: OpenApi, { id, method, path, operation }: ReferenceEntry): OperationDoc['request'] {
  const shown = Object.values<Example>(examples).find(({ of }) => of?.[0] === id);
  const credential = credentialInWords(operation);
  if (shown) return shown.codes;
  if (credential === 'signature') return {};
  const parameters = (operation.parameters ?? []).map((parameter) => resolve(document, parameter));
  const inPath = path.replace(/\{(\w+)\}/g, (_, name) => String(parameters.find((parameter) => parameter.name === name)?.example ?? name));
  const needed = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  const query = new URLSearchParams(needed.map(({ name, example }): [string, string] => [name, String(example)])).toString();
  const body = exampleOf(document, operation.requestBody && resolve(document, operation.requestBody).content);
  return { curl: curlOf({ method: method.toUpperCase(), path: query ? `${inPath}?${query}` : inPath, credential, body }) };
}

function errorsIn(document: OpenApi, status: string, { content, description }: Answer): OperationError {
  const schema = jsonOf(content)?.schema ?? {};
  const parts = (resolve(document, schema).allOf ?? []).map((part) => resolve(document, part));
  // The last part names those of this answer, the first all that there are.
  const named = parts
    .slice(-1)
    .flatMap(({ properties }) => ((properties?.error as Schema | undefined)?.enum as string[] | undefined) ?? []);
  const codes = errorsOf(document).filter((error) => String(error.status) === status && named.includes(error.code));
  const isOfSignIn = '$ref' in schema && schema.$ref.endsWith('/AuthError');
  const isOwn = codes.length === 0 && !isOfSignIn;
  return { status, codes: codes.map(({ code }) => code), isOfSignIn, meaning: isOwn ? description.trim() : undefined };
}

export function credentialInWords({ security = [] }: Operation): string {
  const names = security.flatMap(Object.keys).join(' ').toLowerCase();
  if (/bearer|token/.test(names)) return 'bearer token';
  if (/session|cookie/.test(names)) return 'session cookie';
  if (/sign|stripe/.test(names)) return 'signature';
  return 'public';
}
