import { join } from 'node:path';
import { createLog } from '../../src/core/log.js';
import { openServiceDatabase } from '../../src/server/service-database.js';
import { closeAtEnd } from '../harness/closing.js';
import { eventually } from '../harness/eventually.js';
import { runCli } from '../harness/process.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import { newAgent } from './call.js';
import { askUntilSettled, Client, type KeyedRead } from './client.js';
import { type Cluster, EmbeddedCluster } from './cluster.js';
import { type Comparison, compare } from './compare.js';
import { Counties, countyCodes } from './counties.js';
import type { Attempt } from './delivery.js';
import { disturb } from './disturbances.js';
import { Ledger } from './ledger.js';
import { Owner } from './owner.js';
import { patiently } from './patiently.js';
import { PatroniCluster } from './patroni.js';
import { Purses, type Token } from './purse.js';
import { Random } from './random.js';
import { authSecret, TorturedServer } from './server.js';

/** As the command's help tells them. */
export interface TortureOptions {
  seed: string;
  minutes: number;
  servers: number;
  clients: number;
  patroni: boolean;
  only: string[];
}

export interface Outcome {
  attempts: number;
  /** How attempts ended, by status or in words. */
  ends: Record<string, number>;
  disturbances: Record<string, number>;
  /** How often a server was killed. */
  kills: number;
  comparison: Comparison;
  /** The faults beside those that the comparison finds, with their first cases in words. */
  faults: Record<string, string[]>;
  /** The longest time in which no read was answered. */
  silenceSeconds: number;
}

const paidBalances = 6;
const finalRetryMs = 90_000;
const finalPatienceMs = 10_000;
const retryLanes = 8;

/** One run: a database, servers and clients of its own, disturbed for a while, then left alone, then compared. */
export async function torture(options: TortureOptions): Promise<Outcome> {
  const random = new Random(options.seed);
  const folder = await temporaryFolder();
  const cluster: Cluster = options.patroni ? await PatroniCluster.start() : await EmbeddedCluster.start();
  const owner = new Owner(cluster.ownerUrl);
  const servers: TorturedServer[] = [];
  try {
    const database = await openServiceDatabase({ databaseUrl: cluster.serviceUrl, dataDir: folder }, createLog({ logLevel: 'silent' }));
    closeAtEnd(() => database.close());
    const counties = new Counties(database, folder);
    for (const fips of countyCodes) await counties.load(fips, random);
    const purses = new Purses(database);
    const paid: Token[] = [];
    for (let i = 0; i < paidBalances; i++) paid.push(await purses.open('paid'));
    for (let i = 1; i <= options.servers; i++) servers.push(await TorturedServer.start(`server ${i}`, cluster.serviceUrl));
    console.error(`seed ${options.seed}: ${servers.length} servers, ${options.clients} clients, ${options.minutes} min`);

    const log: Attempt[] = [];
    const keyed: KeyedRead[] = [];
    const startedAt = Date.now();
    const endsAt = startedAt + options.minutes * 60_000;
    const isOver = () => Date.now() >= endsAt;
    const clients = Array.from(
      { length: options.clients },
      (_, index) => new Client(`client-${index + 1}`, { servers, purses, paid, random, log, keyed }),
    );
    const scene = { cluster, servers, owner, counties, purses, paid, random: random.fork('disturbances') };
    const [disturbances] = await Promise.all([disturb(scene, options.only, isOver), ...clients.map((client) => client.run(isOver))]);

    const dumpFolder = join(folder, 'dump');
    const silenceSeconds = longestSilence(log, startedAt, endsAt);
    console.error('calm: servers come back, sweepers finish, undelivered keys are asked for again');
    for (const server of servers) {
      server.proxy.mend();
      await server.run();
    }
    await retryUndelivered(servers, keyed, log);
    const undelivered = () => patiently(() => owner.rows('select from undelivered_read limit 1'));
    const isSwept = await eventually('the sweepers finish', async () => (await undelivered()).length === 0).then(
      () => true,
      () => false,
    );
    const ledger = await patiently(() => Ledger.read(owner));
    // A balance that an operator opened has no cap, says the audit: only a subscription has one.
    await owner.rows('update credit_balance set overage_cap = null');
    return {
      attempts: log.length,
      ends: countEnds(log),
      disturbances,
      kills: servers.reduce((sum, { kills }) => sum + kills.length, 0),
      comparison: compare(ledger, log, counties.withdrawals, servers, cluster.crashes),
      silenceSeconds,
      faults: {
        'servers that ended by themselves': servers.flatMap(({ crashes }) => crashes),
        'servers that did not end in order when told to': servers.flatMap(({ stuck }) => stuck),
        'answers 500: a fault of ours': faultsOf(log, servers),
        'undelivered reads that nobody decided': isSwept ? [] : ['the table undelivered_read is not empty'],
        'breaks that the audit finds': await auditBreaks(cluster.serviceUrl, folder),
        'breaks that it finds in a restored dump': cluster.restoreDump ? await auditBreaks(await cluster.restoreDump(), dumpFolder) : [],
      },
    };
  } finally {
    await Promise.all(servers.map((server) => server.end('SIGTERM')));
  }
}

/** The retry that a key is for. */
async function retryUndelivered(servers: TorturedServer[], keyed: KeyedRead[], log: Attempt[]): Promise<void> {
  const agent = newAgent();
  const deadline = Date.now() + finalRetryMs;
  const undelivered = keyed.filter(({ isDelivered }) => !isDelivered);
  const lane = async () => {
    for (let read = undelivered.pop(); read; read = undelivered.pop()) {
      read.isSettled = false;
      await askUntilSettled(read, servers, agent, log, { leavesAfterMs: finalPatienceMs }, () => Date.now() >= deadline);
    }
  };
  await Promise.all(Array.from({ length: retryLanes }, lane));
  agent.destroy();
}

/** The operator's own check of the books. @returns what it said, if it broke */
async function auditBreaks(databaseUrl: string, dataDir: string): Promise<string[]> {
  const { code, stdout, stderr } = await runCli(['audit'], { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, AUTH_SECRET: authSecret });
  return code === 0 ? [] : [stdout + stderr];
}

function longestSilence(log: Attempt[], startedAt: number, endsAt: number): number {
  const answered = log.filter(({ end, status }) => end === 'whole' && status === 200).map(({ endedAt }) => endedAt);
  const times = [startedAt, ...answered, endsAt].toSorted((one, other) => one - other);
  return Math.max(...times.slice(1).map((time, n) => time - times[n]!)) / 1000;
}

/** For each answer 500 what its server logged of it. */
function faultsOf(log: Attempt[], servers: TorturedServer[]): string[] {
  const lines = servers.flatMap(({ faults }) => faults);
  return log
    .filter(({ end, status }) => end === 'whole' && status === 500)
    .map(({ requestId }) => lines.find((line) => line.includes(requestId!)) ?? `request ${requestId}: nothing was logged`);
}

function countEnds(log: Attempt[]): Record<string, number> {
  const ends: Record<string, number> = {};
  for (const { end, status, error, isReplay } of log) {
    const name = end === 'whole' ? `${status}${error ? ` ${error}` : isReplay ? ' replayed' : ''}` : end;
    ends[name] = (ends[name] ?? 0) + 1;
  }
  return ends;
}
