import { authSecretsOf } from '../../src/accounts/auth-secret.js';
import { Cursors } from '../../src/parcels/cursor.js';
import { recordVersion } from '../../src/releases/record-fields/record-fields.js';
import { type Bench, clients, connections, tokenCount } from './bench.js';
import { costOf, cpuOf, rateAgainst } from './cost.js';
import { type Aim, inTurns, type Row, ratio } from './figures.js';
import { metered } from './load.js';
import { spendAndPage } from './our-statements.js';
import { countyFips, publishStock, recordCount } from './stock.js';

const limit = 25;
const pageCount = recordCount / limit;
export const firstPage = `/api/parcels?county_fips=${countyFips}&limit=${limit}`;

interface MeteredRead {
  name: string;
  title: string;
  requests(bench: Bench): Promise<string[]> | string[];
  /** The aim for its CPU. */
  cpu?: Aim;
  /** The same spends and pages by pgbench, each beginning at this record, and the aim for our rate against it. */
  beside?: { first: string; rate: Aim };
  env?: Record<string, string>;
}

const ofAllTokens = ({ tokens }: Bench) => tokens.map((token) => metered(firstPage, token));

const reads: MeteredRead[] = [
  {
    name: 'read',
    title: `metered read: ${tokenCount} tokens, ${connections} connections, ${limit} records, pages in memory`,
    requests: ofAllTokens,
    cpu: { atMost: 300 },
    beside: { first: '1', rate: { atLeast: 1.2 } },
  },
  {
    name: 'cold',
    title: 'the same, pages never read before',
    requests: requestsOfAllPages,
    beside: { first: `(:page::integer * ${limit} + 1)`, rate: { atLeast: 0.8 } },
  },
  {
    name: 'hot',
    title: 'one hot token, pages in memory',
    requests: ({ tokens }) => [metered(firstPage, tokens[0]!)],
    cpu: { atMost: 250 },
  },
  {
    name: 'workers',
    title: 'metered read by two server processes on one machine (WORKERS=2), pages in memory',
    requests: ofAllTokens,
    env: { WORKERS: '2' },
  },
];

export const meteredReads: Row[] = reads.map(({ name, title, requests, cpu, beside, env }) => ({
  name,
  title,
  measure: (bench) =>
    bench.withService(async (server) => {
      const sent = await requests(bench);
      const serve = () => bench.serve(server, sent);
      if (!beside) return costOf((await inTurns(serve))[0], cpu);
      const [served, bare] = await inTurns(serve, () => oneByOne(bench, beside.first));
      return [...costOf(served, cpu), ...rateAgainst('spend + page by pgbench', served, bare, beside.rate)];
    }, env),
}));

// Essex County MA.
const earlierFips = '25009';

export const earlierPages: Row = {
  name: 'earlier',
  title: 'pages never read before, of a release written before the newest fields',
  measure: async (bench) => {
    const releaseId = await publishStock(bench.database.pool, earlierFips, recordVersion - 1);
    await bench.database.pool.query('vacuum analyze parcel');
    return bench.withService(async (server) => {
      const [earlier, present] = await inTurns(
        async () => bench.serve(server, await requestsOfAllPages(bench, releaseId)),
        async () => bench.serve(server, await requestsOfAllPages(bench)),
      );
      const against = {
        name: 'CPU against pages of the present version',
        value: ratio(cpuOf(earlier), cpuOf(present)),
        unit: '×',
      } as const;
      return [...costOf(earlier), { ...against, aim: { atMost: 1.15 } }];
    });
  },
};

const oneByOne = (bench: Bench, first: string) => {
  const variables = [`\\set token random(1, ${tokenCount})`, `\\set page random(0, ${pageCount - 1})`];
  return bench.run([...variables, ...spendAndPage(bench.releaseId, first)].join('\n'), clients);
};

/** Each page in turn: by the time one comes again, those between have taken its place in memory. */
async function requestsOfAllPages(bench: Bench, releaseId = bench.releaseId): Promise<string[]> {
  const { rows } = await bench.database.pool.query<{ balanceId: string }>(
    `select l.balance_id as "balanceId"
       from unnest($1::text[]) with ordinality as t (raw, n) join token_lookup l on l.token_hash = sha256(convert_to(t.raw, 'UTF8'))
      order by t.n`,
    [bench.tokens],
  );
  const cursors = new Cursors(authSecretsOf({ dataDir: bench.dataDir }));
  return Array.from({ length: pageCount }, (_, page) => {
    const reader = page % tokenCount;
    const cursor = cursors.write({ releaseId, ordinal: page * limit + 1 }, rows[reader]!.balanceId);
    return metered(`/api/parcels?limit=${limit}&cursor=${cursor}`, bench.tokens[reader]!);
  });
}
