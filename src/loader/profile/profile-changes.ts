import { percent } from '../../core/format-numbers.js';
import type { Finding } from '../../releases/catalogue/release-report.js';
import type { ReadType } from '../../releases/record-fields/record-field-entry.js';
import { factsOf, type Mapping, mappableFields } from '../columns/fields.js';
import { findColumn, parseMapOptions, shownColumns } from '../columns/map-options.js';
import { type PlannedLoad, type ProfileVersion, placeFields, seenOf } from './profile.js';
import { isOfAnotherSource, type LostField, recallMapping } from './recall-mapping.js';
import { describeColumn, type SeenColumn, sampledColumnsOf } from './seen-columns.js';

/** The differences since the profile was made. */
export interface ProfileChanges {
  warnings: string[];
  /** Mapped columns that are gone: each field holds the release. */
  findings: Finding[];
}

interface Said {
  map?: string[];
  join?: string;
  known?: ProfileVersion;
}

/** Compares a load's plan with its profile. */
export function changesSince(plan: PlannedLoad, { map = [], join, known }: Said): ProfileChanges {
  if (!known) return { warnings: [], findings: [] };
  const { version, body } = known;
  const columns = sampledColumnsOf(plan);
  const names = columns.map(({ name }) => name);
  if (isOfAnotherSource(body, names)) {
    return {
      warnings: [`The file has less than a third of the columns of profile ${version}, so its columns were mapped from scratch.`],
      findings: [],
    };
  }
  const { lost } = recallMapping(body, parseMapOptions(map, names), columns);
  const { format, crs } = seenOf(plan);
  const before = body.seen;
  const news = columns.filter((column) => !findColumn(column.name, Object.keys(before.columns)) && column.values.length > 0);
  const gone = Object.keys(before.columns).filter((name) => !findColumn(name, names));
  const compared = columns.flatMap((column): ComparedColumn[] => {
    const seen = before.columns[findColumn(column.name, Object.keys(before.columns)) ?? ''];
    return seen ? [{ name: column.name, was: seen, is: describeColumn(column) }] : [];
  });
  const filled = compared.filter(({ was, is }) => was.filled < hardlyFilled && is.filled >= clearlyFilled);
  // Shapes replace columns of coordinates.
  const hasShapes = plan.sample.some(({ geometry }) => geometry !== null);
  const isMissed = ({ field }: LostField) => !(hasShapes && placeFields.has(field));
  const sentences = [
    ...(before.format === format ? [] : [`the format is now ${format}; it was ${before.format}`]),
    ...(before.crs === crs ? [] : [`the coordinate system is now ${crs}; it was ${before.crs}`]),
    ...(body.on && !join ? ['earlier loads joined a tax roll, but this load has none'] : []),
    ...listed('gone', gone),
    ...listed(
      'new',
      news.map(({ name }) => name),
    ),
    ...filled.map(({ name, is }) => `${name} was empty, now ${percent(is.filled)} of the sampled rows have it`),
    ...emptied(compared, plan.mapping),
    ...moved(compared, plan.mapping),
  ];
  return {
    warnings: sentences.map((sentence) => `Since profile ${version}: ${sentence}.`),
    findings: lost.filter(isMissed).map((field) => findingOf(field, version, plan)),
  };
}

const hardlyFilled = 0.01;
const clearlyFilled = 0.2;

interface ComparedColumn {
  name: string;
  was: SeenColumn;
  is: SeenColumn;
}

const listed = (what: string, names: string[]): string[] => (names.length === 0 ? [] : [`${what}: ${shownColumns(names)}`]);

const readColumns = (mapping: Mapping): string[] => Object.values(mapping).flatMap((source) => source.columns);

function emptied(compared: ComparedColumn[], mapping: Mapping): string[] {
  const mapped = readColumns(mapping);
  return compared
    .filter(({ name, was, is }) => mapped.includes(name) && was.filled >= clearlyFilled && is.filled < was.filled / 2)
    .map(({ name, was, is }) => `${name} was in ${percent(was.filled)} of the sampled rows, now in ${percent(is.filled)}`);
}

const typesOfNumbers: ReadType[] = ['dollars', 'dollars and cents', 'year', 'acres', 'square feet', 'count', 'number'];
const maxRatio = 2;

/** Mapped numbers whose middle doubled or halved, or whose ranges no longer meet. */
function moved(compared: ComparedColumn[], mapping: Mapping): string[] {
  const fields = mappableFields.filter((field) => typesOfNumbers.includes(factsOf[field].type));
  const mapped = fields.flatMap((field) => mapping[field]?.columns ?? []);
  return compared.flatMap(({ name, was: { range: was }, is: { range: is } }) => {
    if (!was || !is || !mapped.includes(name)) return [];
    const ratio = was.middle > 0 && is.middle > 0 ? Math.max(is.middle / was.middle, was.middle / is.middle) : 1;
    if (ratio < maxRatio && is.low <= was.high && is.high >= was.low) return [];
    return [`${name} was ${spanOf(was)}, now it is ${spanOf(is)}`];
  });
}

const spanOf = ({ low, middle, high }: NonNullable<SeenColumn['range']>): string => `${low} to ${high}, mostly about ${middle}`;

function findingOf({ field, gone, renamed }: LostField, version: number, { mapping, recognition }: PlannedLoad): Finding {
  const now = mapping[field]?.columns ?? [];
  const instead =
    renamed.length > 0
      ? `${renamed.join(' and ')} is read instead, because its values are similar`
      : now.length === 0
        ? 'the field is empty'
        : recognition.evidence[field]
          ? `${now.join('+')} is read instead (${recognition.evidence[field].why})`
          : `only ${now.join('+')} is read`;
  return { name: `columns:${field}`, message: `${gone.join(' and ')}, which profile ${version} reads as ${field}, is gone: ${instead}` };
}
