import { errorRows } from './error-rows.js';
import { fieldsOf, type OpenApi, recordSchema, referenceEntries, resolve } from './openapi.js';

/** A topic of the docs, with its position on the page. */
export interface SearchEntry {
  key: string;
  id: string;
  label: string;
  hint: string;
  /** The searched text, in lower case. */
  text: string;
}

/** Guides, record fields, operations with their parameters, and errors. Equal matches are listed in this order. */
export function buildSearchIndex(document: OpenApi, guides: { id: string; title: string }[]): SearchEntry[] {
  const entry = (id: string, label: string, hint: string, more = ''): SearchEntry => ({
    key: id,
    id,
    label,
    hint,
    text: `${label} ${hint} ${more}`.toLowerCase(),
  });
  return [
    ...guides.map(({ id, title }) => entry(id, title, 'guide')),
    entry('record', 'A record', 'guide', 'sample example fields'),
    ...fieldsOf(document, { $ref: recordSchema }).map(([name, { description = '', 'x-unit': unit = '' }]) =>
      entry(`record-${name}`, name, 'field of a record', `${description} ${unit}`),
    ),
    ...referenceEntries(document).flatMap(({ id, method, path, operation }) => [
      entry(id, `${method.toUpperCase()} ${path}`, operation.summary ?? 'operation', operation.description),
      ...(operation.parameters ?? [])
        .map((parameter) => resolve(document, parameter))
        .map(({ name, description }) => entry(`${id}-${name}`, name, `parameter of ${path}`, description)),
    ]),
    ...errorRows.map(([status, code, when]) => entry(`error-${code}`, code, `error ${status}`, when)),
  ];
}

const maxResults = 10;

/** The entries that contain all words of a text. Names that start with the text come first, then names that contain it. */
export function search(index: SearchEntry[], text: string): SearchEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const wanted = words.join(' ');
  const rank = ({ label }: SearchEntry) => {
    const name = label.toLowerCase();
    return name.startsWith(wanted) ? 0 : name.includes(wanted) ? 1 : 2;
  };
  return index
    .filter((entry) => words.every((word) => entry.text.includes(word)))
    .sort((one, other) => rank(one) - rank(other))
    .slice(0, maxResults);
}
