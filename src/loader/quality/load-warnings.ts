import type { ReleaseReport } from '../../releases/catalogue/release-report.js';
import type { ReleaseCounts } from '../../releases/lifecycle/release.store.js';
import type { Mapping } from '../columns/fields.js';
import { shownColumns } from '../columns/map-options.js';
import type { SourceRow } from '../formats/source-row.js';
import { describeSpelling, matchPoorly, type Reading } from '../join/join-rows.js';
import type { MatchTally } from '../location/match-tally.js';
import type { UnseenColumn } from '../plan/column-names.js';
import type { LoadPlan } from '../plan/plan-load.js';
import { FieldReader } from '../records/field-reader.js';
import { textOf } from '../values/values.js';

/** Facts from all rows. */
interface Passed {
  plan: LoadPlan;
  /** Columns that no sampled row has, in the order of the rows. */
  unseen: (UnseenColumn & { source: number })[];
  matches: MatchTally;
  counts: ReleaseCounts;
  reading: Reading;
}

type Rule = (passed: Passed, report: ReleaseReport) => string[];

/** The warnings in a load's summary, by one rule each. */
export const loadWarnings: Rule = (passed, report) => rules.flatMap((rule) => rule(passed, report));

const unseenColumns: Rule = ({ plan: { sources, join }, unseen }) =>
  sources.flatMap(({ source }, i) => {
    const own = unseen.filter((each) => each.source === i);
    if (!own[0]) return [];
    const names = shownColumns(own.map(({ column, row }) => `${column} (row ${row})`));
    return [
      `Columns that the first rows of ${join ? 'these files' : source.name} do not have are not mapped to a field: ${names}. To map one, load ` +
        `again with --map, such as --map owner_name=${own[0].column}.`,
    ];
  });

// Roads and waters have no number, but there are fewer of them.
const fewWithout = 0.2;

/** Many records lack a parcel number: they may be buildings or a tract's outline. */
const missingNumbers: Rule = ({ plan: { mapping, join, columns, sample }, counts: { loaded } }, { filled }) => {
  if (loaded === 0) return [];
  if (!mapping.apn)
    return [`None of the ${loaded} records has a parcel number: no column of numbers was found. Name it with --map apn=COLUMN.`];
  const without = loaded - (filled.apn ?? 0);
  if (without <= loaded * fewWithout) return [];
  const kind = join ? undefined : conditionForNumbers(sample, mapping, columns);
  return [
    `${without} of ${loaded} records have no parcel number in ${mapping.apn.columns.join('+')}: are they parcels?` +
      (kind ? ` --where "${kind}" keeps those that have one.` : ''),
  ];
};

const mostKinds = 20;
const nearlyAll = 0.95;

/** A `COLUMN=VALUE` condition that separates rows with a parcel number from those without. */
function conditionForNumbers(sample: SourceRow[], mapping: Mapping, columns: string[]): string | undefined {
  const read = new FieldReader(mapping);
  const rows = sample.filter(({ fault }) => fault === null);
  const numbered = rows.filter((row) => {
    read.moveTo(row);
    return read.parcelNumber() !== null;
  });
  for (const column of columns) {
    const [all, own] = [countsOf(rows, column), countsOf(numbered, column)];
    if (all.size > mostKinds) continue;
    for (const [value, count] of own) {
      if (count >= numbered.length * nearlyAll && count >= all.get(value)! * nearlyAll) return `${column}=${value}`;
    }
  }
  return undefined;
}

function countsOf(rows: SourceRow[], column: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { properties } of rows) {
    const value = textOf(properties[column]);
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

/** Most acres contradict their shapes: the unit or the column is wrong. */
const doubtfulAcres: Rule = ({ plan }, { filled, beyondReason }) => {
  const { acres } = plan.mapping;
  const odd = beyondReason.acres ?? 0;
  const most = Math.min(filled.acres ?? 0, filled.gis_acres ?? 0);
  if (!acres || odd * 2 <= most) return [];
  const column = acres.columns.join('+');
  const [unit, other] = acres.unit ? ['square feet', 'acres'] : ['acres', 'sqft'];
  return [
    `${odd} of ${filled.acres} acres are less than a tenth or more than ten times those of their shapes: ${column} is read as ${unit}; ` +
      `--map acres=${column}:${other} reads ${acres.unit ? 'acres' : 'square feet'}.`,
  ];
};

/** A row count at which servers cut exports. A fetch compares with the server's count instead. */
const cutExport: Rule = ({ counts: { read } }, { fetched }) =>
  typeof fetched?.records !== 'number' && read >= 1000 && read <= 10_000 && read % 1000 === 0
    ? [`The file has exactly ${read} rows, a number at which servers cut exports off. Check that it is complete.`]
    : [];

/** Many rows of both files match nothing: their keys are probably written in two ways, so each parcel becomes two records. */
const unmatchedRows: Rule = ({ plan: { join }, reading: { match } }) => {
  if (!join || !match || !matchPoorly(match)) return [];
  const { shape, roll, proposal } = match;
  const such = ({ example }: { example: string | null }) => (example === null ? '' : ` (such as ${example})`);
  return [
    `${shape.unmatched} of ${shape.rows} shapes match no row of the roll${such(shape)}, and ${roll.unmatched} of ${roll.rows} rows of the roll ` +
      `match no shape${such(roll)}: each becomes a record of its own. If ${join.shapeColumn}=${join.rollColumn} write one parcel in two ways, ` +
      (proposal ? `say so with ${describeSpelling(proposal)}.` : 'say how with --join-key, or name other columns with --on.'),
  ];
};

const rules: Rule[] = [
  ({ plan }) => plan.warnings,
  unseenColumns,
  ({ matches }) => matches.warnings,
  missingNumbers,
  doubtfulAcres,
  cutExport,
  (_, { notes }) => notes,
  ({ reading }) => reading.warnings,
  unmatchedRows,
];
