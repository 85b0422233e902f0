import type { Logger } from 'pino';
import { authSecretOf } from '../../src/accounts/auth-secret.js';
import type { Database } from '../../src/database/database.js';
import { Cursors } from '../../src/parcels/cursor.js';
import { createParcels } from '../../src/parcels/parcels.js';
import { TokenStore } from '../../src/tokens/token.store.js';
import { hashToken } from '../../src/tokens/token-secret.js';
import { bareSql } from './bare-sql.js';
import { type ChildServer, startServer } from './child.js';
import { type Contender, concurrency } from './contender.js';
import { grouped, median, ratio } from './figures.js';
import { ourRooms } from './our-rooms.js';
import { overHttp } from './over-http.js';
import { cursorOf, firstOrdinal, type Pages, type Stock } from './pages.js';
import { fillPlainParcel, plainFields } from './plain-parcel.js';

const limits = [1, 25, 1000];
const rounds = 3;

/** Reads a second, by contender and limit: one figure a round. */
type Rates = Map<Contender, number[][]>;

interface Options extends Stock {
  roundMs: number;
}

/** Metered reads through HTTP beside the same SQL, our rooms without HTTP and a plain resolver; prints rates and ratios. */
export async function measureReading(database: Database, dataDir: string, log: Logger, options: Options): Promise<void> {
  const { pool, url } = database;
  await pool.query(fillPlainParcel, [options.releaseId]);
  await pool.query('alter table plain_parcel add primary key (ordinal)');
  for (const statement of ['vacuum analyze parcel', 'vacuum analyze plain_parcel', 'checkpoint']) await pool.query(statement);
  const secrets = [authSecretOf({ dataDir })];
  const cursors = new Cursors(secrets);
  const { reader } = await createParcels({ database, secrets, log });
  const servers: ChildServer[] = [];
  try {
    servers.push(await startServer('src/main.js', [], { DATA_DIR: dataDir, PORT: '0', BASE_URL: 'http://localhost', LOG_LEVEL: 'info' }));
    servers.push(await startServer('test/bench/plain-server.js', [url], {}));
    const [ours, plain] = servers as [ChildServer, ChildServer];
    const tokens = await issueTokens(database.dataSource);
    const many = { raw: (loop: number) => tokens[loop]!, hash: (loop: number) => hashToken(tokens[loop]!)! };
    const one = { raw: () => tokens[0]!, hash: () => hashToken(tokens[0]!)! };
    const metered = (name: string, tokenOf: (loop: number) => string, pages: Pages) =>
      overHttp(name, ours.port, (limit, loop, count) =>
        Array.from({ length: count }, () =>
          meteredRequest(cursors, tokenOf(loop), limit, firstOrdinal(pages, options, limit, loop), options),
        ),
      );

    const http = metered(`HTTP, ${concurrency} tokens`, many.raw, 'known');
    const httpNew = metered(`HTTP, ${concurrency} tokens, pages never read before`, many.raw, 'new');
    const httpOne = metered('HTTP, one token', one.raw, 'known');
    const sql = bareSql(`same SQL, ${concurrency} tokens`, pool, many.hash, 'new', options);
    const sqlOne = bareSql('same SQL, one token', pool, one.hash, 'known', options);
    const rooms = ourRooms(`our rooms without HTTP, ${concurrency} tokens`, reader, cursors, log, many.hash, 'known', options);
    const roomsOne = ourRooms('our rooms without HTTP, one token', reader, cursors, log, one.hash, 'known', options);
    const resolver = overHttp('plain Apollo + TypeORM find, unmetered', plain.port, (limit, loop) => [
      plainRequest(firstOrdinal('known', options, limit, loop), limit),
    ]);
    const rates = await race([http, sql, httpNew, rooms, resolver, httpOne, sqlOne, roomsOne], options.roundMs);
    print(rates, [
      ['HTTP / same SQL, many tokens', http, sql],
      ['HTTP, new pages / same SQL, many tokens', httpNew, sql],
      ['HTTP / same SQL, one token', httpOne, sqlOne],
      ['HTTP / our rooms, many tokens', http, rooms],
      ['HTTP / our rooms, one token', httpOne, roomsOne],
      ['HTTP / plain Apollo + TypeORM', http, resolver],
      ['HTTP, new pages / plain Apollo + TypeORM', httpNew, resolver],
    ]);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

/** A paid token each for as many accounts as there are readers. */
async function issueTokens(dataSource: Database['dataSource']): Promise<string[]> {
  const store = new TokenStore(dataSource);
  const issued = Array.from({ length: concurrency }, (_, loop) => store.issuePaidByOperator(`bench ${loop}`, 'bench'));
  return (await Promise.all(issued)).map(({ rawToken }) => rawToken);
}

function meteredRequest(cursors: Cursors, token: string, limit: number, first: number, stock: Stock) {
  return {
    method: 'GET' as const,
    path: `/api/parcels?limit=${limit}&cursor=${cursorOf(cursors, stock, first, hashToken(token)!)}`,
    headers: { authorization: `Bearer ${token}` },
  };
}

function plainRequest(first: number, limit: number) {
  const query = `query ($first: Int!, $limit: Int!) { parcels(first: $first, limit: $limit) { ${plainFields.join(' ')} } }`;
  return {
    method: 'POST' as const,
    path: '/',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { first, limit } }),
  };
}

/** Every contender in every round, one after the other, so that what else the machine does meets them alike. */
async function race(contenders: Contender[], roundMs: number): Promise<Rates> {
  const rates: Rates = new Map(contenders.map((contender) => [contender, limits.map(() => [])]));
  // A server that has just started runs slowly, and nobody's does for long.
  for (const contender of contenders) await contender.read(1, 16 * concurrency);
  for (const [column, limit] of limits.entries()) {
    const times = new Map<Contender, number>();
    const recordRequestTime = async (contender: Contender, count: number): Promise<number> => {
      const rate = count / (await contender.read(limit, count));
      times.set(contender, concurrency * Math.max(1, Math.round((rate * roundMs) / 1000 / concurrency)));
      return rate;
    };
    for (const contender of contenders) await recordRequestTime(contender, concurrency);
    for (let round = 0; round < rounds; round++) {
      for (const contender of contenders) rates.get(contender)![column]!.push(await recordRequestTime(contender, times.get(contender)!));
    }
  }
  return rates;
}

function print(rates: Rates, ratios: [string, Contender, Contender][]): void {
  const row = (name: string, cells: string[]) => console.log(`  ${name.padEnd(44)}${cells.map((cell) => cell.padStart(12)).join('')}`);
  const head = limits.map((limit) => `limit ${limit}`);
  console.log(`\nReads a second, ${concurrency} at once (median of ${rounds})`);
  row('', head);
  for (const [contender, columns] of rates)
    row(
      contender.name,
      columns.map((column) => grouped(median(column))),
    );
  console.log('\nRatios (median of the rounds)');
  row('', head);
  for (const [name, ours, theirs] of ratios)
    row(
      name,
      limits.map((_, column) => ratio(rates.get(ours)![column]!, rates.get(theirs)![column]!)),
    );
}
