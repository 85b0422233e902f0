import { type FieldSource, type MappableField, type Mapping, mappableFields } from '../columns/fields.js';
import type { Evidence } from '../columns/recognise.js';
import type { SourceRow } from '../formats/source-row.js';
import { type SeenColumns, seenColumns } from './seen-columns.js';

/** The options that later loads of a county take over. What is about one file (its date, what was accepted or forced) is not among them. */
export interface KeptOptions {
  /** `COLUMN=VALUE`: only rows that meet every condition are loaded. */
  where?: string[];
  /** The file in an archive, the layer or the sheet. */
  layer?: string;
  /** The coordinate system, when the file states none or a wrong one. */
  crs?: string;
  /** The column by which a tax roll is joined (or `SHAPECOLUMN=ROLLCOLUMN`). */
  on?: string;
  /** How the join's keys are written, such as `shapes=pad:10` or `roll=strip:dashes`. Unset: found out. */
  joinKey?: string[];
  /** The layer of the tax roll's file, or the file in its archive. */
  joinLayer?: string;
  source?: string;
  sourceUrl?: string;
  /** How data is fetched from `sourceUrl`. Unset: nothing was fetched from there, it only says where a file came from. */
  protocol?: 'arcgis' | 'http';
  /** The terms under which the source may be used; shown with the county. */
  license?: string;
  /** Whether unmapped columns are kept as attributes (default: yes). */
  attributes?: boolean;
}

export const keptOptions = [
  'where',
  'layer',
  'crs',
  'on',
  'joinKey',
  'joinLayer',
  'source',
  'sourceUrl',
  'protocol',
  'license',
  'attributes',
] as const;

/**
 * A county's source, as far as it is known: the options that would repeat its load, and what its columns were like. So a load with a
 * profile is a load with options.
 */
export interface Profile extends KeptOptions {
  /** A field without columns stays empty, as an operator said. One that is missing is recognized. */
  map: Mapping;
  seen: Seen;
}

export interface Seen {
  format: string;
  crs: string;
  columns: SeenColumns;
}

export interface ProfileVersion {
  version: number;
  body: Profile;
}

/** A plan, as far as a profile keeps it. */
export interface PlannedLoad {
  sources: { source: { format: string }; crs: { name: string } }[];
  join: { shapeColumn: string; rollColumn: string } | null;
  mapping: Mapping;
  recognition: { evidence: Partial<Record<MappableField, Evidence>> };
  sample: SourceRow[];
  rollSample: SourceRow[];
}

type Options = KeptOptions & { join?: string; known?: ProfileVersion; unset?: (keyof KeptOptions)[] };

/** The options of a load with those of the profile. The operator's own come first. */
export function withProfile<Given extends Options>(options: Given, known: ProfileVersion | null): Given {
  if (!known) return options;
  const merged = { ...options, ...withoutUnset(keptOf(known.body), options.unset), ...keptOf(options), known };
  // Another address has a protocol of its own.
  if (options.sourceUrl && options.sourceUrl !== known.body.sourceUrl) merged.protocol = options.protocol;
  // Other columns are written in other ways.
  if (merged.on !== known.body.on) merged.joinKey = options.joinKey;
  // Without a roll there is nothing to join.
  return options.join ? merged : { ...merged, on: options.on, joinKey: options.joinKey, joinLayer: options.joinLayer };
}

const withoutUnset = (kept: KeptOptions, unset: (keyof KeptOptions)[] = []): KeptOptions =>
  Object.fromEntries(Object.entries(kept).filter(([name]) => !unset.includes(name as keyof KeptOptions)));

// The place of a record may come from shapes in one year and from columns in the next.
export const placeFields = new Set<string>(['geometry', 'latitude', 'longitude']);

/**
 * Keeps what an operator said of a load, and what was certain: the rest is recognized anew, beside columns that the next file may
 * bring.
 */
export function profileOf(plan: PlannedLoad, options: Options): Profile {
  const map: Mapping = {};
  for (const field of mappableFields) {
    const source: FieldSource | undefined = plan.mapping[field];
    const known = options.known?.body.map[field];
    if (source && plan.recognition.evidence[field]?.sureness !== 'likely') map[field] = source;
    else if (known?.columns.length === 0) map[field] = known;
  }
  const { on, joinKey, joinLayer } = options.join ? options : withoutUnset(options.known?.body ?? {}, options.unset);
  const joinedOn = plan.join ? `${plan.join.shapeColumn}=${plan.join.rollColumn}` : on;
  return { map, ...keptOf({ ...options, on: joinedOn, joinKey, joinLayer }), seen: seenOf(plan) };
}

export const seenOf = (plan: Pick<PlannedLoad, 'sources' | 'sample' | 'rollSample'>): Seen => ({
  format: [...new Set(plan.sources.map(({ source }) => source.format))].join(', '),
  crs: [...new Set(plan.sources.map(({ crs }) => crs.name))].join(', '),
  columns: seenColumns(plan),
});

/** The options that say something: an empty list, or that attributes are kept, does not. */
function keptOf(options: KeptOptions): KeptOptions {
  const isSet = (value: unknown) => value !== undefined && value !== true && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(keptOptions.filter((name) => isSet(options[name])).map((name) => [name, options[name]]));
}

/** As the command line has it. */
export const optionName = (name: keyof KeptOptions): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The options of a profile besides the mapping, as the command line takes them. */
export const describeOptions = (profile: KeptOptions): string[] =>
  keptOptions.flatMap((name) => {
    const value = profile[name];
    if (value === undefined) return [];
    const option = optionName(name);
    return value === false ? [`--no-${option}`] : [value].flat().map((text) => `--${option} ${text}`);
  });
