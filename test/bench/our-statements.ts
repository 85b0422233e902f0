import { countyFips } from './stock.js';

/** As pgbench knows it: one statement a line. */
const oneLine = (sql: string): string => sql.replace(/\s+/g, ' ').trim();

const spendOf = (tokens: string, segments: string): string =>
  oneLine(`
    select s.*
      from (select array_agg(balance_id order by balance_id) as balances, array_agg(token_id order by balance_id) as tokens,
                   array_agg((select version from coverage_version)) as versions, array_agg(${segments}) as segments,
                   array_agg('${countyFips}'::text) as counties, array_agg(gen_random_uuid()::text) as requests,
                   array_agg(null::text) as keys, array_agg(null::bytea) as hashes
              from bench_token where ${tokens}) w,
           lateral spend(w.balances, w.tokens, w.versions, w.segments, w.counties, w.requests, w.keys, w.hashes, true) s;`);

/** A metered read of 25 records as two statements, one after the other: the spend and the page. `first`: an expression. */
export const spendAndPage = (releaseId: number, first: string): string[] => [
  spendOf('n = :token', `'{${releaseId},' || ${first} || ',25}'`),
  oneLine(`
    select count(*)::integer as count, string_agg(record, ',' order by ordinal) as text
      from parcel where release_id = ${releaseId} and ordinal between ${first} and ${first} + 24;`),
];

/** A spend each of so many tokens in one statement. */
export const batchOfSpends = (releaseId: number, count: number): string =>
  spendOf(`(n + :token) % 200 < ${count}`, `'{${releaseId},1,25}'`);
