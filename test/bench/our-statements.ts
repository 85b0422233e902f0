import { countyFips } from './stock.js';

/** For pgbench: one statement a line. */
const oneLine = (sql: string): string => sql.replace(/\s+/g, ' ').trim();

/** All tokens by numbers from 1 on: scripts know no hashes. */
export const createTokenTable = `
  create table bench_token as
  select (row_number() over ())::integer as n, balance_id, token_id from token_lookup;
  alter table bench_token add primary key (n)`;

const version = '(select version from coverage_version)';

/** A metered read of 25 records in two statements. They know `:token`; `first` is an expression. */
export const spendAndPage = (releaseId: number, first: string): string[] => [
  oneLine(`
    select s.*
      from bench_token t
     cross join lateral spend(
       array[t.balance_id], array[t.token_id], array[${version}], array['{${releaseId},' || ${first} || ',25}'], array['${countyFips}'],
       array[gen_random_uuid()::text], array[null], array[null]::bytea[], true) s
     where t.n = :token;`),
  oneLine(`
    select count(*)::integer as count, string_agg(record, ',' order by ordinal) as text
      from parcel where release_id = ${releaseId} and ordinal between ${first} and ${first} + 24;`),
];

/** A spend each for so many neighbouring tokens, beginning at `:offset`, in one statement. */
export const spendBatch = (releaseId: number, count: number): string =>
  oneLine(`
    select s.*
      from (select array_agg(balance_id) as balances, array_agg(token_id) as tokens, array_agg(${version}) as versions,
                   array_agg('{${releaseId},1,25}'::text) as segments, array_agg('${countyFips}'::text) as counties,
                   array_agg(gen_random_uuid()::text) as requests, array_agg(null::text) as keys, array_agg(null::bytea) as hashes
              from (select * from bench_token where (n + :offset) % 200 < ${count} order by balance_id) t) w,
           lateral spend(w.balances, w.tokens, w.versions, w.segments, w.counties, w.requests, w.keys, w.hashes, true) s;`);
