import { errorRows } from './error-rows.js';
import { fieldsOf, type OpenApi, recordSchema, referenceEntries, resolve } from './openapi.js';

/** Something that the docs tell of, with its place on the page. */
export interface Finding {
  key: string;
  id: string;
  label: string;
  hint: string;
  /** All that it is found by, in small letters. */
  text: string;
}

/** Guides, fields of a record, operations with their parameters, and errors: the order in which equals are listed. */
export function indexOf(document: OpenApi, guides: { id: string; title: string }[]): Finding[] {
  const finding = (id: string, label: string, hint: string, more = ''): Finding => ({
    key: id,
    id,
    label,
    hint,
    text: `${label} ${hint} ${more}`.toLowerCase(),
  });
  return [
    ...guides.map(({ id, title }) => finding(id, title, 'guide')),
    finding('record', 'A record', 'guide', 'sample example fields'),
    ...fieldsOf(document, { $ref: recordSchema }).map(([name, { description = '', 'x-unit': unit = '' }]) =>
      finding(`record-${name}`, name, 'field of a record', `${description} ${unit}`),
    ),
    ...referenceEntries(document).flatMap(({ id, method, path, operation }) => [
      finding(id, `${method.toUpperCase()} ${path}`, operation.summary ?? 'operation', operation.description),
      ...(operation.parameters ?? [])
        .map((parameter) => resolve(document, parameter))
        .map(({ name, description }) => finding(`${id}-${name}`, name, `parameter of ${path}`, description)),
    ]),
    ...errorRows.map(([status, code, when]) => finding(`error-${code}`, code, `error ${status}`, when)),
  ];
}

const mostFindings = 10;

/** Those that have all words of a text; first those whose name begins with it, then those that have it in their name. */
export function search(index: Finding[], text: string): Finding[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const wanted = words.join(' ');
  const rank = ({ label }: Finding) => {
    const name = label.toLowerCase();
    return name.startsWith(wanted) ? 0 : name.includes(wanted) ? 1 : 2;
  };
  return index
    .filter((finding) => words.every((word) => finding.text.includes(word)))
    .sort((one, other) => rank(one) - rank(other))
    .slice(0, mostFindings);
}
