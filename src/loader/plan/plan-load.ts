import { AppError } from '../../core/errors.js';
import type { Mapping } from '../columns/fields.js';
import { missingColumns, parseMapOptions } from '../columns/map-options.js';
import { type Recognition, recognise } from '../columns/recognise.js';
import { sampleColumns } from '../columns/sampled-column.js';
import { openSources } from '../formats/open-source.js';
import { firstPosition } from '../formats/positions.js';
import type { Source, SourceRow } from '../formats/source.js';
import type { CoordinateSystem } from '../records/geometry/crs.js';
import { textGeometry } from '../records/geometry/geometry-text.js';
import { numberOf, textOf } from '../values/values.js';
import { acresByUnits } from './acres-unit.js';
import { type Position, refuseDegrees, resolveCrs } from './axes.js';
import { cutNumberWarnings } from './cut-numbers.js';
import { decimalCommaWarnings } from './decimal-commas.js';
import { FileStamps } from './file-stamps.js';
import { type JoinPlan, numberOfBoth, planJoin, rowsOfBoth } from './join-columns.js';
import { lastLineWarnings } from './last-lines.js';
import type { LoadOptions } from './load-options.js';
import { missingColumnWarnings } from './missing-columns.js';
import { refuseMissingHeader } from './missing-header.js';
import { numbersOfColumn } from './number-column.js';
import { rowsWithColumns, type SourceSample, sampleSource, withOneSpelling } from './sample-source.js';
import { severalSalesWarnings } from './several-sales.js';
import { byNumber, severalYearsWarnings } from './several-years.js';
import { checkWhere, type RowFilter, rowFilter } from './where.js';

/** All that is decided before the first row is loaded. Its files are open: whoever makes a plan must close it. */
export interface LoadPlan {
  sources: { source: Source; crs: CoordinateSystem; sample: SourceRow[] }[];
  /** The tax roll beside the shapes, and the columns by which they are joined. */
  join: JoinPlan | null;
  mapping: Mapping;
  /** Why the columns were chosen, and which the operator should choose. */
  recognition: Omit<Recognition, 'mapping'>;
  filter: RowFilter;
  columns: string[];
  /** The first rows that the filter keeps. */
  sample: SourceRow[];
  rollSample: SourceRow[];
  byteLength: number;
  rowEstimate: number;
  warnings: string[];
  /** @throws AppError where one of the files is no longer what it was when the plan was begun */
  refuseChangedFiles(): Promise<void>;
  close(): Promise<void>;
}

/** The rows of the samples, with the coordinate system that they are in; those of a roll have no shapes, and their number where it ties them. */
export const sampledRows = ({
  sources,
  rollSample,
  mapping,
  join,
}: LoadPlan): { crs: CoordinateSystem; mapping: Mapping; rows: SourceRow[] }[] => [
  ...sources.map(({ crs, sample }) => ({ crs, mapping, rows: sample })),
  { crs: sources[0]!.crs, mapping: byNumber(mapping, join), rows: rollSample },
];

/** The files of a load, recognised and not yet read. */
export interface OpenedFiles {
  sources: Source[];
  roll: Source | undefined;
}

/**
 * @param state of the county, by its USPS code
 * @param onOpen called before the first row is read
 * @throws AppError naming what is wrong with the files or the options
 */
export async function planLoad(
  files: string[],
  options: LoadOptions,
  state: string,
  onOpen: (opened: OpenedFiles) => void = () => {},
): Promise<LoadPlan> {
  const ofRoll = options.on ? '--on' : options.joinLayer ? '--join-layer' : null;
  if (ofRoll && !options.join) throw new AppError('invalid_request', `${ofRoll} needs --join FILE: the tax roll to tie to the shapes.`);
  const stamps = new FileStamps();
  // Those that are unpacked are read right away, the others' companions are not known before.
  await stamps.add([...files, ...(options.join ? [options.join] : [])]);
  const sources = await openSources(files, { layer: options.layer });
  const rolls: Source[] = [];
  const close = async () => {
    await Promise.all([...sources, ...rolls].map((source) => source.close()));
  };
  try {
    const rollWish = { layer: options.joinLayer, option: '--join-layer', prefersTable: true } as const;
    if (options.join) rolls.push(...(await openSources([options.join], rollWish)));
    await stamps.add([...sources, ...rolls].flatMap((source) => source.files));
    const opened = { sources, roll: rolls[0] };
    onOpen(opened);
    return { ...(await plan(opened, options, state)), refuseChangedFiles: () => stamps.refuseChanged(), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function plan(
  { sources, roll }: OpenedFiles,
  options: LoadOptions,
  state: string,
): Promise<Omit<LoadPlan, 'refuseChangedFiles' | 'close'>> {
  const filter = rowFilter(options.where);
  const sampled: SourceSample[] = [];
  for (const source of sources) sampled.push(await sampleSource(source, filter));
  const known = [...new Set(sampled.flatMap(({ kept }) => kept.flatMap(({ properties }) => Object.keys(properties))))];
  const sought = missingColumns(options.map ?? [], known);
  for (const [i, source] of sources.entries()) sampled[i]!.kept.push(...(await rowsWithColumns(source, filter, sought)));
  const samples = withOneSpelling(sampled);
  const rollSample = roll && (await sampleSource(roll, () => true));
  if (samples.every(({ seen }) => seen.length === 0)) throw new AppError('invalid_request', 'There are no rows to load.');
  if (roll && rollSample!.seen.length === 0) throw new AppError('invalid_request', `${roll.name} has no rows.`);
  // Whoever maps columns has seen their names.
  if (!options.map?.length) {
    for (const [i, source] of sources.entries()) refuseMissingHeader(source, samples[i]!.seen);
    if (roll) refuseMissingHeader(roll, rollSample!.seen);
  }
  const shapeColumns = sampleColumns(samples.flatMap(({ seen }) => seen.map(({ properties }) => properties)));
  checkWhere(
    options.where,
    shapeColumns.map(({ name }) => name),
  );
  const sample = samples.flatMap(({ kept }) => kept);
  if (sample.length === 0) throw new AppError('invalid_request', 'There are no rows to load for which --where holds.');
  const readable = (rows: SourceRow[]) => rows.filter(({ fault }) => fault === null).map(({ properties }) => properties);
  const shapeRows = readable(sample);
  const rollRows = readable(rollSample?.kept ?? []);
  const mixed = sampleColumns([...shapeRows, ...rollRows]);
  const names = mixed.map(({ name }) => name);
  const wish = { given: readMapOptions(options.map ?? [], names), state };
  const join = roll ? planJoin(roll, options.on, sample, rollSample!.kept, recognise(mixed, wish).mapping, wish.given) : null;
  const columns = join ? sampleColumns(rowsOfBoth(shapeRows, rollRows, join)) : mixed;
  const { mapping, ...recognition } = recognise(columns, wish);
  if (join) mapping.apn = numberOfBoth(mapping, join, names);

  const placed = sources.map((source, i) => {
    const positions = samples[i]!.kept.map((row) => positionOf(row, mapping)).filter((position) => position !== null);
    const srid = source.crs || options.crs ? null : statedSrid(samples[i]!.kept, mapping);
    const crs = resolveCrs(source.name, srid ? `EPSG:${srid}` : source.crs, options.crs, positions);
    refuseDegrees(
      source.name,
      crs,
      samples[i]!.kept.map((row) => shapePosition(row, mapping)).filter((position) => position !== null),
    );
    return { source, crs: srid ? { ...crs, srid } : crs, sample: samples[i]!.kept };
  });
  if (join && new Set(placed.map(({ crs }) => crs.name)).size > 1) {
    throw new AppError('invalid_request', 'Files that are joined with a tax roll together must share one coordinate system.');
  }
  const acres = wish.given.acres ?? acresByUnits(mapping, columns, placed);
  if (acres) mapping.acres = acres;
  const apn = numbersOfColumn(mapping, columns);
  if (apn) mapping.apn = apn;
  const all = roll ? [...sources, roll] : sources;
  return {
    sources: placed,
    join,
    mapping,
    recognition,
    filter,
    columns: names,
    sample,
    rollSample: rollSample?.kept ?? [],
    // A join goes over everything twice.
    byteLength: all.reduce((sum, source) => sum + source.byteLength, 0) * (join ? 2 : 1),
    rowEstimate: Math.max(
      samples.reduce((sum, { rowEstimate }) => sum + rowEstimate, 0),
      rollSample?.rowEstimate ?? 0,
    ),
    warnings: [
      ...all.flatMap((source) => source.warnings),
      ...placed.flatMap(({ crs }) => crs.warnings),
      ...decimalCommaWarnings(mapping, columns),
      ...cutNumberWarnings(mapping, columns),
      ...lastLineWarnings(mapping, columns),
      ...missingColumnWarnings(placed, mapping),
      ...severalYearsWarnings(mapping, rollSample?.kept ?? sample, join),
      ...severalSalesWarnings(mapping, rollSample?.kept ?? sample, join),
    ],
  };
}

function readMapOptions(options: string[], columns: string[]): Mapping {
  try {
    return parseMapOptions(options, columns);
  } catch (error) {
    throw new AppError('invalid_request', (error as Error).message);
  }
}

/** The first position of a row's shape, else of its coordinate columns, in the file's own coordinates. */
function positionOf(row: SourceRow, mapping: Mapping): Position | null {
  const own = shapePosition(row, mapping);
  if (own) return own;
  const cell = (column: string | undefined) => (column === undefined ? null : textOf(row.properties[column]));
  const x = numberOf(cell(mapping.longitude?.columns[0]));
  const y = numberOf(cell(mapping.latitude?.columns[0]));
  return x === null || y === null || (x === 0 && y === 0) ? null : [x, y];
}

function shapePosition({ geometry, properties }: SourceRow, mapping: Mapping): Position | null {
  const own = geometry && firstPosition(geometry);
  if (own) return own;
  try {
    const shape = textGeometry(properties, mapping)?.geometry;
    return shape ? firstPosition(shape) : null;
  } catch {
    return null; // the load will reject this row, and say why
  }
}

/** The coordinate system that geometries in a column state themselves. */
function statedSrid(rows: SourceRow[], mapping: Mapping): number | null {
  for (const { properties } of rows) {
    try {
      const srid = textGeometry(properties, mapping)?.srid;
      if (srid) return srid;
    } catch {
      // the load will reject this row, and say why
    }
  }
  return null;
}
