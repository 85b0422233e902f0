import { isUUID as isUuid } from 'class-validator';
import type { Pool } from 'pg';
import { AppError } from '../../core/errors.js';
import { unknownId } from '../../usage/ledger-search.js';
import { countOf } from '../page.js';
import type { BoughtArgs } from './bought.args.js';
import type { Bought, BoughtBy, BoughtRun } from './bought.js';
import { withoutOlderReleases } from './newest-releases.js';

type Filter = Omit<BoughtArgs, 'search' | 'releases'>;

/** Reads in the ledger which records an account paid for and received. It never writes there. */
export class BoughtRuns {
  constructor(private readonly pool: Pool) {}

  /** @throws AppError not_found if `entryId` is no read of the account, or was reversed; conflict if it still may be */
  async of(accountId: string, { releases, ...filter }: Filter & Pick<BoughtArgs, 'releases'>): Promise<Bought> {
    const { with: chosen, values } = chosenReads(accountId, filter);
    const county = filter.countyFips ? `where r.county_fips = $${values.push(filter.countyFips)}` : '';
    const { rows } = await this.pool.query<BoughtRun & { isKept: boolean; isRecent: boolean }>(
      `${chosen}, release_runs as (
         select r.county_fips, r.id, r.state <> 'pruned' as is_kept,
                coalesce(range_agg(s.run) filter (where s.is_final), '{}') as final,
                coalesce(range_agg(s.run) filter (where not s.is_final), '{}') as recent
           from (select e.is_final, e.segments[i] as release_id, int4range(e.segments[i + 1], e.segments[i + 1] + e.segments[i + 2]) as run
                   from chosen e cross join generate_series(1, cardinality(e.segments), 3) i) s
           join parcel_release r on r.id = s.release_id ${county}
          group by r.id)
       select county_fips as "countyFips", id as "releaseId", is_kept as "isKept", is_recent as "isRecent",
              lower(run) as first, upper(run) - lower(run) as count
         from (select county_fips, id, is_kept, false as is_recent, unnest(final) as run from release_runs
               union all
               select county_fips, id, is_kept, true, unnest(recent - final) from release_runs) runs
        order by county_fips, id desc, lower(run)`,
      values,
    );
    if (filter.entryId) requireFinal(rows);
    const runs = (isMine: (row: (typeof rows)[number]) => boolean): BoughtRun[] =>
      rows.filter(isMine).map(({ countyFips, releaseId, first, count }) => ({ countyFips, releaseId, first, count }));
    const kept = runs(({ isRecent, isKept }) => !isRecent && isKept);
    const chosenRuns = releases === 'all' ? kept : await withoutOlderReleases(this.pool, kept);
    const total = countOf(chosenRuns);
    return {
      runs: chosenRuns,
      total,
      olderRecords: countOf(kept) - total,
      recentRecords: countOf(runs(({ isRecent }) => isRecent)),
      notKept: runs(({ isRecent, isKept }) => !isRecent && !isKept),
    };
  }

  /** The latest read of each of some records. The ids of entries begin with their time. Many reads have the same segments, so these come first. */
  async latestReads(accountId: string, filter: Filter, records: { releaseId: number; ordinal: number }[]): Promise<BoughtBy[]> {
    const { with: chosen, values } = chosenReads(accountId, filter);
    const [releases, ordinals] = [records.map(({ releaseId }) => releaseId), records.map(({ ordinal }) => ordinal)];
    const { rows } = await this.pool.query<BoughtBy>(
      `${chosen}, wanted as (
         select release_id, ordinal from unnest($${values.push(releases)}::integer[], $${values.push(ordinals)}::integer[]) w (release_id, ordinal)
       ), segments as (
         select s.release_id, s.first, s.behind, max(s.id::text) as id
           from (select e.id, e.segments[i] as release_id, e.segments[i + 1] as first, e.segments[i + 1] + e.segments[i + 2] as behind
                   from chosen e cross join generate_series(1, cardinality(e.segments), 3) i where e.is_final) s
           join (select release_id, min(ordinal) as low, max(ordinal) as high from wanted group by release_id) w
             on w.release_id = s.release_id and s.first <= w.high and s.behind > w.low
          group by s.release_id, s.first, s.behind
       )
       select w.release_id as "releaseId", w.ordinal, max(s.id) as "entryId", entry_time(max(s.id)::uuid) as at
         from wanted w join segments s on s.release_id = w.release_id and w.ordinal >= s.first and w.ordinal < s.behind
        group by w.release_id, w.ordinal`,
      values,
    );
    return rows;
  }
}

/**
 * The delivered reads as `chosen`. Final is what nothing can reverse any more, by the same rule as `show_read`. Of a replay, what it
 * repeated.
 */
function chosenReads(accountId: string, { entryId, tokenId, from, to }: Filter): { with: string; values: unknown[] } {
  const values: unknown[] = [accountId];
  const value = (each: unknown) => `$${values.push(each)}`;
  const uuid = (text: string) => `${value(isUuid(text) ? text : unknownId)}::uuid`;
  const [id, token] = [entryId && uuid(entryId), tokenId && uuid(tokenId)];
  const [start, end] = [from && value(from), to && value(to)];
  const conditions = [
    id ? `e.id = ${id} and e.sequence = entry_sequence(${id}) and e.kind in ('read', 'replay')` : `e.kind = 'read'`,
    token && `e.token_id = ${token}`,
    start && `e.sequence > b.before_start and e.at >= ${start}`,
    end && `e.sequence <= b.before_end and e.at < ${end}`,
  ];
  return {
    values,
    with: `
      with balances as materialized (
        select b.id ${start ? `, entries_before(b.id, ${start}) as before_start` : ''} ${end ? `, entries_before(b.id, ${end}) as before_end` : ''}
          from credit_balance b where b.account_id = $1
      ), chosen as (
        select e.id, e.at, e.segments,
               e.kind = 'replay'
               or (e.at <= service_now() - 2 * taken_back_within()
                   and not exists (select from undelivered_read u where u.balance_id = e.balance_id and u.entry_id = e.id))
               or exists (select from ledger_entry l where l.balance_id = e.balance_id and l.repeats = e.id) as is_final
          from balances b join ledger_entry e on e.balance_id = b.id
         where e.records > 0 and ${conditions.filter(Boolean).join(' and ')}
           and not exists (select from ledger_entry l where l.balance_id = e.balance_id and l.reverses = e.id)
      )`,
  };
}

function requireFinal(rows: { isRecent: boolean }[]): void {
  if (rows.length === 0) throw new AppError('not_found', 'There is no such read in this account, or it was taken back.');
  if (rows.every(({ isRecent }) => isRecent)) {
    throw new AppError(
      'conflict',
      'This read is only minutes old and may still be reversed. Open its records in the console, or try again later.',
    );
  }
}
