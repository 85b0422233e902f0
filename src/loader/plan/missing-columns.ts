import { type Mapping, mappableFields } from '../columns/fields.js';
import type { Source, SourceRow } from '../formats/source.js';
import { shownColumns } from './unseen-columns.js';

interface SampledSource {
  source: Pick<Source, 'name'>;
  sample: SourceRow[];
}

/** Of several files, those that lack columns which fields come from: they may be called something else there. */
export function missingColumnWarnings(sources: SampledSource[], mapping: Mapping): string[] {
  const files = sources.map(({ source, sample }) => {
    const rows = sample.filter(({ fault }) => fault === null);
    const columns = new Set(rows.flatMap(({ properties }) => Object.keys(properties)));
    return { name: source.name, columns, hasShapes: rows.some(({ geometry }) => geometry !== null) };
  });
  return files.flatMap((file) => {
    const others = files.filter((other) => other !== file);
    const missing = mappableFields
      .filter((field) => !(file.hasShapes && placeFields.has(field)))
      .flatMap((field) => (mapping[field]?.columns ?? []).map((column) => ({ field, column })))
      .filter(({ column }) => !file.columns.has(column) && others.some(({ columns }) => columns.has(column)));
    const [first] = missing;
    if (file.columns.size === 0 || !first) return [];
    const own = [...file.columns].filter((column) => others.every(({ columns }) => !columns.has(column)));
    return [
      `${file.name} has no column ${shownColumns(missing.map(({ field, column }) => `${column} (${field})`))}` +
        (own.length === 0
          ? '.'
          : `, but alone ${shownColumns(own)}: where one is the other, say both, as in --map ${first.field}=${first.column}+${own[0]}.`),
    ];
  });
}

const placeFields = new Set<string>(['latitude', 'longitude', 'geometry']);
