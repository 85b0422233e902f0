import { isUUID as isUuid } from 'class-validator';
import { AppError } from '../../core/errors.js';
import { unknownId } from '../../usage/ledger-search.js';
import { countOf } from '../page.js';
import type { BoughtArgs } from './bought.args.js';
import type { Bought, BoughtBy, BoughtRun, Queries } from './bought.js';
import { withoutOlderReleases } from './newest-releases.js';

/** No page of a read has more records. */
const largestPage = 1_000;

type Filter = Omit<BoughtArgs, 'search' | 'releases'>;

/** @throws AppError not_found if `entryId` is no read of the account, or was reversed; conflict if it still may be */
export async function findBought(db: Queries, accountId: string, { releases, ...filter }: Omit<BoughtArgs, 'search'>): Promise<Bought> {
  const { segments, isSummed, token, values } = segmentsOf(accountId, filter);
  const county = filter.countyFips ? `where r.county_fips = $${values.push(filter.countyFips)}` : '';
  const { rows } = await db.query<BoughtRun & { isKept: boolean; isRecent: boolean }>(
    `${segments}, release_runs as (
       select r.county_fips, r.id, r.state <> 'pruned' as is_kept,
              coalesce(range_agg(s.runs) filter (where s.is_final), '{}') as final,
              coalesce(range_agg(s.runs) filter (where not s.is_final), '{}') as recent
         from (select release_id, runs, is_final from segments
               union all
               select r.release_id, r.runs, true from balances b join bought_run r on r.balance_id = b.id and r.token_id = ${token ?? `'${unknownId}'`}
                where ${isSummed}) s
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
  const chosenRuns = releases === 'all' ? kept : await withoutOlderReleases(db, kept);
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
export async function latestReads(db: Queries, accountId: string, filter: Filter, records: Place[]): Promise<BoughtBy[]> {
  const { segments, isSummed, token, values } = segmentsOf(accountId, filter);
  const [releases, ordinals] = [records.map(({ releaseId }) => releaseId), records.map(({ ordinal }) => ordinal)];
  const { rows } = await db.query<BoughtBy>(
    `${segments}, wanted as (
       select release_id, ordinal from unnest($${values.push(releases)}::integer[], $${values.push(ordinals)}::integer[]) w (release_id, ordinal)
     ), neighbours as (
       select release_id, unnest(range_agg(int4range(ordinal, ordinal, '[]'))) as run from wanted group by release_id
     ), latest as (
       select release_id, runs, max(id::text) as id
         from (select release_id, runs, id from segments where is_final
               union all
               select s.release_id, int4multirange(int4range(s.first, s.behind)), s.entry_id
                 from neighbours n cross join balances b
                cross join lateral (
                  select * from bought_segment s
                   where s.release_id = n.release_id and s.balance_id = b.id and s.first < upper(n.run)
                     and s.first > lower(n.run) - ${largestPage} and s.behind > lower(n.run) ${token ? `and s.token_id = ${token}` : ''}
                  offset 0
                ) s
                where ${isSummed}) s
        group by release_id, runs
     )
     select release_id as "releaseId", ordinal, max(id) as "entryId", entry_time(max(id)::uuid) as at
       from wanted join latest using (release_id) where ordinal <@ runs group by release_id, ordinal`,
    values,
  );
  return rows;
}

type Place = Pick<BoughtBy, 'releaseId' | 'ordinal'>;

/**
 * The records of delivered reads as `segments`: of all that are not summed, or, if only the ledger knows what is asked for, of all. Final is
 * what nothing can reverse any more, by the same rule as `show_read`. Of a replay, what it repeated.
 */
function segmentsOf(accountId: string, { entryId, tokenId, from, to }: Filter) {
  const values: unknown[] = [accountId];
  const value = (each: unknown) => `$${values.push(each)}`;
  const uuid = (text: string) => `${value(isUuid(text) ? text : unknownId)}::uuid`;
  const [id, token] = [entryId ? uuid(entryId) : null, tokenId ? uuid(tokenId) : null];
  const isSummed = !(entryId || from || to);
  const before = from ? `entries_before(b.id, ${value(from)})` : isSummed ? 'coalesce(s.bought, 0)' : '0';
  const kind = id ? `e.id = ${id} and e.sequence = entry_sequence(${id}) and e.kind in ('read', 'replay')` : `e.kind = 'read'`;
  const segments = `
    with balances as materialized (
      select b.id, ${before} as before, ${to ? `entries_before(b.id, ${value(to)})` : 'b.entry_count'} as last
        from credit_balance b left join summed_balance s on s.balance_id = b.id where b.account_id = $1
    ), segments as (
      select e.id, e.segments[i] as release_id, int4multirange(int4range(e.segments[i + 1], e.segments[i + 1] + e.segments[i + 2])) as runs,
             e.kind = 'replay'
             or (e.at <= service_now() - 2 * taken_back_within()
                 and not exists (select from undelivered_read u where u.balance_id = e.balance_id and u.entry_id = e.id))
             or (select true from ledger_entry l where l.balance_id = e.balance_id and l.repeats = e.id limit 1) is not null as is_final
        from balances b join ledger_entry e on e.balance_id = b.id and e.sequence > b.before and e.sequence <= b.last
       cross join generate_series(1, cardinality(e.segments), 3) i
       where e.records > 0 and ${kind} ${token ? `and e.token_id = ${token}` : ''}
         and not exists (select from ledger_entry l where l.balance_id = e.balance_id and l.reverses = e.id)
    )`;
  return { segments, isSummed, token, values };
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
