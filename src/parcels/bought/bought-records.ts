import { currentRecord } from '../../releases/record-fields/record-fields.js';
import { MissingRecords } from '../parcel.store.js';
import type { BoughtRun, Queries } from './bought.js';
import { matchOf } from './record-match.js';

/** A record that an account read, with its finished text. */
export interface BoughtRecord {
  countyFips: string;
  releaseId: number;
  ordinal: number;
  text: string;
}

/** The run of records that one query examined. */
export interface ExaminedRun {
  /** The records that match. */
  records: BoughtRecord[];
  run: BoughtRun;
}

// A query holds one of two connections, and turning its records into a file holds up everything else of the server: some milliseconds.
const recordsAtOnce = 200;
const searchedAtOnce = 2_000;

/**
 * Reads runs in their order, as fast as they are taken.
 * @param after the place of the record to go on after, see `placeOf`
 * @throws MissingRecords if a release was deleted meanwhile
 */
export async function* readBought(
  db: Queries,
  runs: BoughtRun[],
  search: string | null | undefined,
  { after = null, limit = Number.POSITIVE_INFINITY }: { after?: string | null; limit?: number } = {},
): AsyncGenerator<ExaminedRun> {
  const match = matchOf(search);
  const atOnce = match ? searchedAtOnce : Math.min(recordsAtOnce, limit);
  for (const run of after === null ? runs : runsAfter(runs, after)) {
    const { countyFips, releaseId } = run;
    for (let first = run.first; first < run.first + run.count; first += atOnce) {
      const count = Math.min(atOnce, run.first + run.count - first);
      const values: unknown[] = [releaseId, first, first + count - 1];
      const condition = match?.((value) => `$${values.push(value)}`);
      const { rows } = await db.query<{ ordinal: number; record: string | null }>(
        `select ordinal, ${condition ? `case when ${condition} then record end as record` : 'record'}
           from parcel where release_id = $1 and ordinal between $2 and $3 order by ordinal`,
        values,
      );
      if (rows.length !== count) throw new MissingRecords(`release ${releaseId} has ${rows.length} of ${count} records from ${first} on`);
      const records = rows.flatMap(({ ordinal, record }) =>
        record === null ? [] : [{ countyFips, releaseId, ordinal, text: currentRecord(record) }],
      );
      yield { records, run: { ...run, first, count } };
    }
  }
}

/** Where a record is among the runs. It stays right when others are read meanwhile. */
export const placeOf = ({ countyFips, releaseId, ordinal }: Omit<BoughtRecord, 'text'>): string => `${countyFips}.${releaseId}.${ordinal}`;

function runsAfter(runs: BoughtRun[], place: string): BoughtRun[] {
  const [county, release, ordinal] = place.split('.') as [string, string, string];
  return runs.flatMap((run) => {
    if (run.countyFips !== county) return run.countyFips > county ? [run] : [];
    if (run.releaseId !== Number(release)) return run.releaseId < Number(release) ? [run] : [];
    const skipped = Math.max(0, Number(ordinal) + 1 - run.first);
    return skipped < run.count ? [{ ...run, first: run.first + skipped, count: run.count - skipped }] : [];
  });
}
