import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { audit } from '../../src/audit/audit.js';
import { auditChecks } from '../../src/audit/audit-checks.js';
import { projectFile } from '../../src/core/project-files.js';
import { loadCounty } from '../../src/loader/load-county.js';
import { setCountyStatus } from '../../src/releases/lifecycle/change-county.js';
import { adjustment } from '../harness/adjustment.js';
import { startApp, type TestApp } from '../harness/app.js';
import { openServer } from '../harness/loopback-server.js';
import { onlyWith } from '../harness/only-with.js';
import { ServiceProcess } from '../harness/process.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import { collection, feature, type Scratch, scratch, square } from '../loader/files.js';

// The programs of the docs' guides, as files: run as they stand, against the built service.

const middlesex = '25017';
const recordCount = 1050;
const programs = { 'read-county.sh': 'sh', 'read-county.mjs': process.execPath, 'read-county.py': 'python3' };
type Program = keyof typeof programs;
const keepers = { 'keep-current.mjs': process.execPath, 'keep-current.py': 'python3' };
type Keeper = keyof typeof keepers;
const hasPython = spawnSync('python3', ['--version']).status === 0;

let app: TestApp;
let service: ServiceProcess;
let balancer: Balancer;
let owners: string[];
let files: Scratch;
let loads = 0;
beforeAll(async () => {
  app = await startApp();
  owners = Array.from({ length: recordCount }, (_, i) => `OWNER ${i}`);
  files = await scratch();
  await load();
  balancer = new Balancer();
  await balancer.open();
  await startService();
});

/** A load balancer before the service: it answers 503 while the service is away. */
class Balancer {
  origin = '';
  /** Called when the service has answered a page, by its number from 1. True: the caller gets no answer. */
  private isLost: (page: number) => Promise<boolean> = async () => false;
  private pages = 0;

  async open(): Promise<void> {
    ({ origin: this.origin } = await openServer((request, response) => void this.pass(request, response)));
  }

  /** Counts pages anew. */
  loseAnswers(isLost: (page: number) => Promise<boolean>): void {
    this.pages = 0;
    this.isLost = isLost;
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const page = request.method === 'GET' && request.url!.startsWith('/api/parcels') ? ++this.pages : 0;
    const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
    try {
      const sent = httpRequest(service.url + request.url, { method: request.method!, headers }).end();
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      const body = await buffer(answer);
      if (page > 0 && (await this.isLost(page))) return void response.destroy();
      response.writeHead(answer.statusCode!, answer.headers).end(body);
    } catch {
      response.writeHead(503, { 'Retry-After': '1' }).end('no server');
    }
  }
}

async function startService(): Promise<void> {
  service = await ServiceProcess.start({
    DATABASE_URL: app.db.url,
    BASE_URL: balancer.origin,
    AUTH_SECRET: 'a secret of the tests, long enough',
  });
}

async function load(): Promise<void> {
  const features = owners.map((owner, at) => feature({ APN: `10-${at}`, OWNER: owner, ADDRESS: `${at + 1} MAIN ST` }, square(at)));
  const path = await files.write(`county-${++loads}.geojson`, collection(features));
  const accept = ['loss', 'ids', 'places', 'spread', 'values', 'parts', 'empty'];
  await loadCounty({ database: app.db, county: middlesex, files: [path], options: { accept } });
}

/** A token of the paid plan that has this many included records left, and may cost this many more. */
async function tokenWith(included: number, overageCap: number | null): Promise<{ token: string; lift(): Promise<unknown> }> {
  const token = await app.paidToken();
  const { id } = (await app.get('/api/usage', { token })).json.balance;
  await app.db.query(adjustment(id, included - 4000));
  const cap = (most: number | null) => app.db.query('update credit_balance set overage_cap = $2 where id = $1', [id, most]);
  await cap(overageCap);
  return { token, lift: () => cap(null) };
}

/** Without the county while `work` runs. Then it is loaded again. */
async function withdrawn(work: () => Promise<void>): Promise<void> {
  await app.database.controlDataSource.transaction((manager) => setCountyStatus(manager, middlesex, 'unavailable', null));
  await work();
  await load();
}

/** Starts a program of the docs in a folder, in a process group of its own. */
function start(name: string, program: string, cwd: string, token: string): ChildProcess {
  return spawn(program, [projectFile('src/docs/programs', name), middlesex], {
    cwd,
    detached: true,
    env: { PATH: process.env.PATH, API_TOKEN: token, API_URL: `${balancer.origin}/api` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function ended(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const output = { stdout: '', stderr: '' };
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const [code] = await once(child, 'close');
  return { code, ...output };
}

const run = (name: string, program: string, cwd: string, token: string) => ended(start(name, program, cwd, token));

/** A run that ends with a fault, which says why. */
async function fails(why: string, ...of: Parameters<typeof run>): Promise<void> {
  const { code, stderr } = await run(...of);
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining(why)]);
}

/** A run that is killed when the service has charged for a page, before it sees the answer. */
async function killedAt(page: number, ...of: Parameters<typeof run>): Promise<void> {
  let child: ChildProcess;
  balancer.loseAnswers(async (answered) => {
    if (answered !== page) return false;
    process.kill(-child.pid!, 'SIGKILL');
    return true;
  });
  child = start(...of);
  expect((await ended(child)).code).toBeNull();
  balancer.loseAnswers(async () => false);
}

interface Kept {
  parcel_id: string;
  owner_name: string;
}

const copyIn = (folder: string): Kept[] => JSON.parse(readFileSync(join(folder, `${middlesex}.json`), 'utf8'));

const keptIn = (folder: string): Kept[] =>
  readdirSync(join(folder, middlesex))
    .filter((name) => /^\d+\.json$/.test(name))
    .toSorted((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10))
    .flatMap((name) => JSON.parse(readFileSync(join(folder, middlesex, name), 'utf8')).parcels);

const published = () =>
  app.db.query<Kept>(
    `select record::json ->> 'parcel_id' as parcel_id, record::json ->> 'owner_name' as owner_name
       from parcel where release_id = (select current_release_id from county where fips = $1) order by ordinal`,
    [middlesex],
  );

/** A token's charged records and the kinds of its entries, by the ledger. */
async function ledgerOf(token: string): Promise<{ charged: number; kinds: Record<string, number> }> {
  const { ledger } = (await app.get('/api/usage', { token })).json as { ledger: { kind: string; records: number }[] };
  const kinds: Record<string, number> = {};
  const moved = ledger.filter(({ kind }) => ['read', 'replay', 'reversal'].includes(kind));
  for (const { kind } of moved) kinds[kind] = (kinds[kind] ?? 0) + 1;
  return { charged: moved.reduce((sum, { kind, records }) => (kind === 'replay' ? sum : sum + records), 0), kinds };
}

afterEach(async () => {
  balancer.loseAnswers(async () => false);
  expect((await audit(app.database.pool, auditChecks)).filter((finding) => finding.firstBreak)).toEqual([]);
});

describe.each(Object.keys(programs) as Program[])('%s, which reads a whole county', (name) => {
  const needs = onlyWith(name !== 'read-county.py' || hasPython, 'no python3');
  const program = programs[name];

  needs.test('has each record once, charged once, after it and the service were killed, and says what does not agree', async () => {
    const [folder, token] = [await temporaryFolder(), await app.paidToken()];
    await killedAt(3, name, program, folder, token);
    expect(existsSync(join(folder, middlesex, '3.json'))).toBe(false);
    expect((await ledgerOf(token)).charged).toBe(300);

    // Then the service dies with the answer to its second page, and another one starts.
    let restarted: Promise<void> | undefined;
    balancer.loseAnswers(async (page) => {
      if (page !== 2) return false;
      await service.end('SIGKILL');
      restarted = startService();
      return true;
    });
    const { code, stdout, stderr } = await run(name, program, folder, token);
    await restarted;
    expect([code, stdout, code && stderr]).toEqual([0, `${recordCount} records, ${recordCount} charged in the ledger\n`, 0]);
    expect(keptIn(folder).map(({ parcel_id }) => parcel_id)).toEqual((await published()).map(({ parcel_id }) => parcel_id));
    expect(await ledgerOf(token)).toEqual({ charged: recordCount, kinds: { read: 11, replay: 2 } });

    // Started once more, it has nothing to do.
    const again = await run(name, program, folder, token);
    expect([again.code, again.stderr]).toEqual([0, '']);
    expect((await ledgerOf(token)).charged).toBe(recordCount);

    await app.get(`/api/parcels?county_fips=${middlesex}&limit=7`, { token });
    const other = await run(name, program, folder, token);
    expect([other.code, other.stdout]).toEqual([1, `${recordCount} records, ${recordCount + 7} charged in the ledger\n`]);
    await fails('not recognized', name, program, await temporaryFolder(), `${token}x`);
  });

  needs.test('counts overage as records, stops at a cap and in a withdrawn county, and goes on afterwards', async () => {
    const [folder, { token, lift }] = [await temporaryFolder(), await tokenWith(500, 150)];
    await fails('overage cap', name, program, folder, token);
    expect((await ledgerOf(token)).charged).toBe(650);
    await lift();
    expect((await run(name, program, folder, token)).stdout).toBe(`${recordCount} records, ${recordCount} charged in the ledger\n`);
    expect(keptIn(folder)).toHaveLength(recordCount);
    await withdrawn(async () => fails('The county is unavailable', name, program, await temporaryFolder(), token));
  });
});

describe.each(Object.keys(keepers) as Keeper[])('%s', (name) => {
  const needs = onlyWith(name !== 'keep-current.py' || hasPython, 'no python3');
  const keep = (folder: string, token: string) => run(name, keepers[name], folder, token);

  needs.test.each((Object.keys(programs) as Program[]).filter((reader) => reader !== 'read-county.py' || hasPython))(
    'buys only the records that have changed since %s read the county',
    async (reader) => {
      const [folder, token] = [await temporaryFolder(), await app.paidToken()];
      await run(reader, programs[reader], folder, token);
      const refresh = async () => {
        const { code, stdout, stderr } = await keep(folder, token);
        expect([code, stderr]).toEqual([0, '']);
        return stdout;
      };
      expect(await refresh()).toBe(`${recordCount} records, 0 of them bought\n`);
      for (const i of [5, 250, 251, 252, 1049]) owners[i] = `HEIR OF ${owners[i]} FOR ${reader}`;
      await load();
      expect(await refresh()).toBe(`${recordCount} records, 5 of them bought\n`);
      expect(copyIn(folder).map(({ parcel_id, owner_name }) => ({ parcel_id, owner_name }))).toEqual(await published());
      expect((await ledgerOf(token)).charged).toBe(recordCount + 5);
    },
  );

  needs.test(
    'goes on after a crash and a cap without paying twice, buys all where there is no copy, keeps what was withdrawn',
    async () => {
      const [folder, { token, lift }] = [await temporaryFolder(), await tokenWith(700, 50)];
      await killedAt(4, name, keepers[name], folder, token);
      await fails('cap of this token', name, keepers[name], folder, token);
      expect(existsSync(join(folder, `${middlesex}.json`))).toBe(false);
      await lift();
      expect((await keep(folder, token)).stdout).toMatch(new RegExp(`^${recordCount} records, `));
      expect(await ledgerOf(token)).toEqual({ charged: recordCount, kinds: { read: 12, replay: 1 } });
      await withdrawn(() => fails('The county is unavailable', name, keepers[name], folder, token));
      expect(copyIn(folder)).toHaveLength(recordCount);
    },
  );
});
