import { type MappableField, type Mapping, mappableFields } from '../columns/fields.js';
import { findColumn } from '../columns/map-options.js';
import type { Recognition } from '../columns/recognise.js';
import type { SampledColumn } from '../columns/sampled-column.js';
import type { Profile } from './profile.js';
import { cut } from './seen-columns.js';

/** A field whose columns in the profile are no longer all there. */
export interface LostField {
  field: MappableField;
  gone: string[];
  /** Columns of another name and like values that are read instead. */
  renamed: string[];
}

export interface RecalledMapping {
  given: Mapping;
  lost: LostField[];
}

/**
 * The mapping of a profile for the columns of a file. A column that is gone is replaced by a new one with like values. A field that lost its
 * only column is left to be recognized. Both hold the release.
 * @param mapped what the operator maps now; its columns serve no other field
 */
export function recallMapping(profile: Profile | undefined, mapped: Mapping, columns: SampledColumn[]): RecalledMapping {
  const given: Mapping = { ...mapped };
  const lost: LostField[] = [];
  if (!profile) return { given, lost };
  const names = columns.map(({ name }) => name);
  const renames = findRenames(profile, columns);
  for (const field of mappableFields) {
    const source = profile.map[field];
    if (!source || mapped[field] || isTaken(source.columns, field, profile, mapped)) continue;
    const gone = source.columns.filter((name) => !findColumn(name, names));
    const found = source.columns.flatMap((name) => findColumn(name, names) ?? renames.get(name) ?? []);
    if (gone.some((name) => (profile.seen.columns[name]?.filled ?? 1) > 0))
      lost.push({ field, gone, renamed: gone.flatMap((name) => renames.get(name) ?? []) });
    if (gone.length === 0 || found.length > 0) given[field] = { ...source, columns: [...new Set(found)] };
  }
  return { given, lost };
}

/** Says of each field that it is as in the profile, and takes out those that the profile leaves empty. */
export function markRecalled({ mapping, evidence }: Recognition, mapped: Mapping, given: Mapping, version: number): void {
  for (const field of mappableFields) {
    if (mapped[field] || !given[field]) continue;
    evidence[field] = { why: `as in profile ${version}`, sureness: 'certain' };
    if (given[field].columns.length > 0) continue;
    delete mapping[field];
    delete evidence[field];
  }
}

/** Whether the operator now maps one of these columns to another field, which had not had it. */
function isTaken(columns: string[], own: MappableField, profile: Profile, mapped: Mapping): boolean {
  return mappableFields.some(
    (field) =>
      field !== own &&
      mapped[field]?.columns.some((name) => findColumn(name, columns) && !findColumn(name, profile.map[field]?.columns ?? [])),
  );
}

const minAlike = 0.6;
// Columns with fewer values, such as a state's code, are alike by chance.
const minSamples = 3;

/** New columns for mapped ones that are gone, by name. Each has most of the old samples, and more of them than any other new column. */
function findRenames({ map, seen }: Profile, columns: SampledColumn[]): Map<string, string> {
  const names = columns.map(({ name }) => name);
  const known = Object.keys(seen.columns);
  const fresh = columns
    .filter(({ name }) => !findColumn(name, known))
    .map(({ name, values }) => ({ name, values: new Set(values.map(cut)) }));
  const renames = new Map<string, string>();
  for (const gone of new Set(Object.values(map).flatMap((source) => source.columns))) {
    const samples = seen.columns[gone]?.samples ?? [];
    if (fresh.length === 0 || samples.length < minSamples || findColumn(gone, names)) continue;
    const [best, next] = fresh
      .map(({ name, values }) => ({ name, alike: samples.filter((value) => values.has(value)).length / samples.length }))
      .sort((a, b) => b.alike - a.alike);
    if (best!.alike >= minAlike && best!.alike > (next?.alike ?? 0)) renames.set(gone, best!.name);
  }
  return renames;
}

/** Whether a file has less than a third of the columns that a profile maps: it is of another source, which the profile says nothing of. */
export function isOfAnotherSource(profile: Profile, names: string[]): boolean {
  const mapped = [...new Set(columnsOfProfile(profile))];
  return mapped.filter((name) => findColumn(name, names)).length * 3 < mapped.length;
}

/** The columns that a profile reads. */
export const columnsOfProfile = (profile: Profile | undefined): string[] =>
  Object.values(profile?.map ?? {}).flatMap(({ columns }) => columns);
