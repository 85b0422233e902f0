import { AppError, refusal } from '../../core/errors.js';
import type { Outline } from '../../counties/outlines/outline.js';
import type { Finding } from '../../releases/catalogue/release-report.js';
import type { FieldSource, Mapping } from '../columns/fields.js';
import { findColumn, missingColumns, parseMapOptions } from '../columns/map-options.js';
import { type Recognition, recognise } from '../columns/recognise.js';
import { type SampledColumn, sampleColumns } from '../columns/sampled-column.js';
import { openSources } from '../formats/open-source.js';
import type { Source } from '../formats/source.js';
import type { SourceRow } from '../formats/source-row.js';
import { changesSince, type ProfileChanges } from '../profile/profile-changes.js';
import { columnsOfProfile, isOfAnotherSource, markRecalled, recallMapping } from '../profile/recall-mapping.js';
import type { CoordinateSystem } from '../records/geometry/crs.js';
import { acresByUnits } from './acres-unit.js';
import { FileStamps } from './file-stamps.js';
import type { LoadOptions } from './load-options.js';
import { refuseMissingHeader } from './missing-header.js';
import { type JoinPlan, numberOfBoth, planJoin, rollsOwnNumber, rowsOfBoth, withJoinKey } from './plan-join.js';
import { planWarnings } from './plan-warnings.js';
import { repeatedParcels } from './repeated-parcels.js';
import { crsOfSource } from './resolve-crs.js';
import { rowsWithColumns, type SourceSample, sampleSource, unifyColumnSpelling } from './sample-source.js';
import { checkWhere, type RowFilter, rowFilter } from './where.js';

/** Everything that is decided before the first row is loaded. Its files are open until `close`. */
export interface LoadPlan {
  sources: { source: Source; crs: CoordinateSystem; sample: SourceRow[] }[];
  /** The tax roll beside the shapes, and the join columns. */
  join: JoinPlan | null;
  mapping: Mapping;
  /** Why the columns were chosen, and which fields the operator should decide. */
  recognition: Omit<Recognition, 'mapping'>;
  filter: RowFilter;
  columns: string[];
  /** The first rows that pass the filter. */
  sample: SourceRow[];
  rollSample: SourceRow[];
  byteLength: number;
  rowEstimate: number;
  warnings: string[];
  /** The changes since the county's profile was made. Its sentences are among the warnings. */
  changes: ProfileChanges;
  /** Why the release would be held. */
  findings: Finding[];
  /** @throws AppError when a file has changed since planning began */
  refuseChangedFiles(): Promise<void>;
  close(): Promise<void>;
}

/** The sampled rows with their coordinate system. Rows of a roll have no shapes; their parcel number is in the join key. */
export const sampledRows = ({
  sources,
  rollSample,
  mapping,
  join,
}: LoadPlan): { crs: CoordinateSystem; mapping: Mapping; rows: SourceRow[] }[] => [
  ...sources.map(({ crs, sample }) => ({ crs, mapping, rows: sample })),
  { crs: sources[0]!.crs, mapping: withJoinKey(mapping, join), rows: rollSample },
];

/** The files of a load, recognized but not yet read. */
interface OpenedFiles {
  sources: Source[];
  roll: Source | undefined;
}

/**
 * @param state the county's USPS state code
 * @param county its outline, to name a coordinate system that fits
 * @throws AppError naming what is wrong with the files or the options
 */
export async function planLoad(files: string[], options: LoadOptions, state: string, county: Outline | null = null): Promise<LoadPlan> {
  try {
    return await openAndPlan(files, options, state, county);
  } catch (error) {
    if (!options.known || !(error instanceof AppError)) throw error;
    const hint = `This load used profile ${options.known.version}. To propose a new mapping, add --no-profile.`;
    throw new AppError(error.code, `${error.message} ${hint}`, { cause: error });
  }
}

async function openAndPlan(files: string[], options: LoadOptions, state: string, county: Outline | null): Promise<LoadPlan> {
  const joinOption = options.on ? '--on' : options.joinLayer ? '--join-layer' : options.joinKey?.length ? '--join-key' : null;
  if (joinOption && !options.join) throw refusal(`${joinOption} needs --join FILE: the tax roll to join to the shapes.`);
  const stamps = new FileStamps();
  // Archives are unpacked when they are opened, so they are stamped first. A file's companions are known only after it is opened.
  await stamps.add([...files, ...(options.join ? [options.join] : [])]);
  const sources = await openSources(files, { layer: options.layer });
  const rolls: Source[] = [];
  const close = async () => {
    await Promise.all([...sources, ...rolls].map((source) => source.close()));
  };
  try {
    const rollOptions = { layer: options.joinLayer, option: '--join-layer', prefersTable: true } as const;
    if (options.join) rolls.push(...(await openSources([options.join], rollOptions)));
    await stamps.add([...sources, ...rolls].flatMap((source) => source.files));
    const opened = { sources, roll: rolls[0] };
    const planned = await plan(opened, options, state, county);
    const changes = changesSince(planned, options);
    const warnings = [...planned.warnings, ...changes.warnings];
    const findings = [...changes.findings, ...repeatedParcels({ ...planned, rows: planned.join ? planned.rollSample : planned.sample })];
    return { ...planned, warnings, findings, changes, refuseChangedFiles: () => stamps.refuseChanged(), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function plan(
  { sources, roll }: OpenedFiles,
  options: LoadOptions,
  state: string,
  county: Outline | null,
): Promise<Omit<LoadPlan, 'changes' | 'findings' | 'refuseChangedFiles' | 'close'>> {
  const filter = rowFilter(options.where);
  const sampled: SourceSample[] = [];
  for (const source of sources) sampled.push(await sampleSource(source, filter));
  const rollSample = roll && (await sampleSource(roll, () => true));
  const namesIn = (samples: SourceSample[]) => [
    ...new Set(samples.flatMap(({ kept }) => kept.flatMap(({ properties }) => Object.keys(properties)))),
  ];
  const inBoth = namesIn([...sampled, ...(rollSample ? [rollSample] : [])]);
  const sought = [
    ...missingColumns(options.map ?? [], namesIn(sampled)),
    ...columnsOfProfile(options.known?.body).filter((name) => !findColumn(name, inBoth)),
  ];
  for (const [i, source] of sources.entries()) sampled[i]!.kept.push(...(await rowsWithColumns(source, filter, sought)));
  const samples = unifyColumnSpelling(sampled);
  if (samples.every(({ seen }) => seen.length === 0)) throw refusal('There are no rows to load. Check that these are the right files.');
  if (roll && rollSample!.seen.length === 0) throw refusal(`${roll.name} has no rows. Name another tax roll with --join.`);
  const inFile = namesIn([...samples, ...(rollSample ? [rollSample] : [])]);
  const known = options.known && !isOfAnotherSource(options.known.body, inFile) ? options.known : undefined;
  // An operator who maps columns, now or in the profile, has seen their names.
  if (!options.map?.length && !known) {
    for (const [i, source] of sources.entries()) refuseMissingHeader(source, samples[i]!.seen);
    if (roll) refuseMissingHeader(roll, rollSample!.seen);
  }
  const shapeColumns = sampleColumns(samples.flatMap(({ seen }) => seen.map(({ properties }) => properties)));
  checkWhere(
    options.where,
    shapeColumns.map(({ name }) => name),
  );
  const sample = samples.flatMap(({ kept }) => kept);
  if (sample.length === 0) throw refusal('No row matches --where. Check the column and its values.');
  const readable = (rows: SourceRow[]) => rows.filter(({ fault }) => fault === null).map(({ properties }) => properties);
  const shapeRows = readable(sample);
  if (shapeRows.length === 0) throw refusal(`None of the first ${sample.length} rows can be read: ${sample[0]!.fault}.`);
  const rollRows = readable(rollSample?.kept ?? []);
  const mixed = sampleColumns([...shapeRows, ...rollRows]);
  const names = mixed.map(({ name }) => name);
  const mapped = parseMapOptions(options.map ?? [], names);
  const { given } = recallMapping(known?.body, mapped, mixed);
  const rowCountOf = (some: SourceSample[]) => some.reduce((sum, { rowEstimate }) => sum + rowEstimate, 0);
  const join = roll
    ? await planJoin(
        { sources, filter, sample, rowEstimate: rowCountOf(samples) },
        { sources: [roll], filter: () => true, sample: rollSample!.kept, rowEstimate: rollSample!.rowEstimate },
        options.on,
        recognise(mixed, { given, state }).mapping,
        given,
      )
    : null;
  if (join) join.spelling = options.joinKey ?? [];
  const columns = join ? sampleColumns(rowsOfBoth(shapeRows, rollRows, join)) : mixed;
  const { mapping, ...recognition } = recognise(columns, { given, state });
  if (known) markRecalled({ mapping, ...recognition }, mapped, given, known.version);
  if (join) mapping.apn = numberOfBoth(mapping, join, names);
  const own = join && !given.apn && rollsOwnNumber(join, rollRows, shapeRows, state);
  if (own) {
    mapping.apn = own.apn;
    recognition.evidence.apn = own.evidence;
    join.mapNumber = own.mapNumber;
  }

  const located = sources.map((source, i) => {
    const { kept } = samples[i]!;
    return { source, crs: crsOfSource(source, kept, mapping, options.crs, county), sample: kept };
  });
  if (join && new Set(located.map(({ crs }) => crs.name)).size > 1)
    throw refusal('Files that are joined with one tax roll must have the same coordinate system.');
  const acres = given.acres ?? acresByUnits(mapping, columns, located);
  if (acres) mapping.acres = acres;
  const apn = withNumberUnit(mapping, columns);
  if (apn) mapping.apn = apn;
  markPaddedNumbers(mapping, columns);
  const all = roll ? [...sources, roll] : sources;
  return {
    sources: located,
    join,
    mapping,
    recognition,
    filter,
    columns: names,
    sample,
    rollSample: rollSample?.kept ?? [],
    // A join reads everything twice: into staging tables, and out of them.
    byteLength: all.reduce((sum, source) => sum + source.byteLength, 0) * (join ? 2 : 1),
    rowEstimate: Math.max(rowCountOf(samples), rollSample?.rowEstimate ?? 0),
    warnings: [
      ...all.flatMap((source) => source.warnings),
      ...located.flatMap(({ crs }) => crs.warnings),
      ...planWarnings({ mapping, columns, files: located }),
    ],
  };
}

/**
 * The source of the parcel number. Marks a column whose sampled values all end in zeros behind a decimal point: it is a column of numbers,
 * which lose these zeros.
 */
function withNumberUnit({ apn }: Mapping, columns: SampledColumn[]): FieldSource | undefined {
  const { values } = columns.find(({ name }) => name === apn?.columns[0]) ?? { values: [] };
  const areNumbers = apn?.columns.length === 1 && values.length > 0 && values.every((value) => /^\d+\.0+$/.test(value));
  return areNumbers ? { ...apn, unit: 'of numbers' } : apn;
}

const addressFields = ['situs_address', 'mail_address'] as const;

/**
 * Marks addresses whose house numbers a table pads with zeros to one length. Otherwise a zero is the county's: in Portland, 0246 and 246
 * are two houses.
 */
function markPaddedNumbers(mapping: Mapping, columns: SampledColumn[]): void {
  for (const field of addressFields) {
    const source = mapping[field];
    const numbers = columns.find(({ name }) => name === source?.columns[0])?.values.filter((value) => /^\d+(\.0+)?$/.test(value)) ?? [];
    const lengths = new Set(numbers.map(({ length }) => length));
    if (source && !source.unit && source.columns.length > 1 && lengths.size === 1 && numbers.some((value) => value.startsWith('0')))
      source.unit = 'padded house numbers';
  }
}
