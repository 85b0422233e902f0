import { authSecretsOf } from '../../src/accounts/auth/auth-secret.js';
import { Cursors } from '../../src/parcels/cursor.js';
import { type Bench, clients, connections, tokenCount } from './bench.js';
import { costOf, rateAgainst } from './cost.js';
import { metered } from './http-load.js';
import { spendAndPage } from './our-statements.js';
import { sqlGenerator } from './programs.js';
import { inTurns } from './rounds.js';
import type { Row } from './row.js';
import { countyFips, recordCount } from './stock.js';

const limit = 25;
const pageCount = recordCount / limit;
export const firstPage = `/api/parcels?county_fips=${countyFips}&limit=${limit}`;

export const manyTokens: Row = {
  name: 'read',
  title: `metered read: ${tokenCount} tokens, ${connections} connections, ${limit} records, pages in memory`,
  measure: (bench) =>
    bench.withService(async (server) => {
      const requests = bench.tokens.map((token) => metered(firstPage, token));
      const [reads, bare] = await inTurns(
        () => bench.serve(server, requests),
        () => oneByOne(bench, '1'),
      );
      return [...costOf(reads, { atMost: 300 }), ...rateAgainst(`spend + page by ${sqlGenerator}`, reads, bare, { atLeast: 1.2 })];
    }),
};

export const newPages: Row = {
  name: 'cold',
  title: 'the same, pages never read before',
  measure: (bench) =>
    bench.withService(async (server) => {
      const requests = requestsOfAllPages(bench);
      const [reads, bare] = await inTurns(
        () => bench.serve(server, requests),
        () => oneByOne(bench, `(:page::integer * ${limit} + 1)`),
      );
      return [...costOf(reads), ...rateAgainst(`spend + page by ${sqlGenerator}`, reads, bare, { atLeast: 0.8 })];
    }),
};

export const hotToken: Row = {
  name: 'hot',
  title: 'one hot token, pages in memory',
  measure: (bench) =>
    bench.withService(async (server) => {
      const [reads] = await inTurns(() => bench.serve(server, [metered(firstPage, bench.tokens[0]!)]));
      return costOf(reads, { atMost: 250 });
    }),
};

// In a current release a cursor is good for everybody.
const anyToken = '00000000-0000-4000-8000-000000000000';

const oneByOne = (bench: Bench, first: string) => {
  const variables = [`\\set token random(1, ${tokenCount})`, `\\set page random(0, ${pageCount - 1})`];
  return bench.run([...variables, ...spendAndPage(bench.releaseId, first)].join('\n'), clients);
};

/** Each page in turn: by the time one comes again, those between have taken its place in memory. */
function requestsOfAllPages(bench: Bench): string[] {
  const cursors = new Cursors(authSecretsOf({ dataDir: bench.dataDir }));
  return Array.from({ length: pageCount }, (_, page) => {
    const token = bench.tokens[page % tokenCount]!;
    const cursor = cursors.write({ releaseId: bench.releaseId, ordinal: page * limit + 1 }, anyToken);
    return metered(`/api/parcels?limit=${limit}&cursor=${cursor}`, token);
  });
}
