import { setTimeout as pause } from 'node:timers/promises';
import { adjustment } from '../harness/adjustment.js';
import type { FaultProxy } from '../harness/fault-proxy.js';
import type { Cluster } from './cluster.js';
import { type Counties, countyCodes } from './counties.js';
import type { Owner } from './owner.js';
import { patiently } from './patiently.js';
import type { Purses, Token } from './purse.js';
import type { Random } from './random.js';
import type { TorturedServer } from './server.js';

interface Scene {
  cluster: Cluster;
  servers: TorturedServer[];
  owner: Owner;
  counties: Counties;
  purses: Purses;
  paid: Token[];
  random: Random;
}

interface Disturbance {
  often: number;
  /** The other kind of cluster knows nothing of it. */
  isFailover?: true;
  run: (scene: Scene) => Promise<unknown>;
}

const disturbances: Record<string, Disturbance> = {
  'kill -9 a server': {
    often: 14,
    run: async ({ servers, random }) => {
      const server = random.pick(servers);
      const downMs = random.between(0, 1_000);
      if (!(await server.end('SIGKILL'))) return;
      await pause(downMs);
      await server.run();
    },
  },
  'end a server in order': {
    often: 3,
    run: async ({ servers, random }) => {
      const server = random.pick(servers);
      if (await server.end('SIGTERM')) await server.run();
    },
  },
  'reset lines': {
    often: 6,
    run: async ({ servers, random }) => {
      const share = random.pick([0.2, 1]);
      random.pick(servers).proxy.reset(() => random.chance(share));
    },
  },
  'stall a server': {
    often: 3,
    run: async ({ servers, random }) => during([random.pick(servers)], random.between(50, 3_000), (proxy) => proxy.stall()),
  },
  'stall all servers': {
    often: 2,
    run: async ({ servers, random }) => during(servers, random.between(50, 2_000), (proxy) => proxy.stall()),
  },
  blackhole: {
    often: 4,
    run: async ({ servers, random }) =>
      during([random.pick(servers)], random.between(500, 6_000), (proxy) =>
        random.chance(0.5) ? proxy.hang() : proxy.swallow(() => random.chance(0.3)),
      ),
  },
  delay: {
    often: 4,
    run: async ({ servers, random }) =>
      during([random.pick(servers)], random.between(500, 3_000), (proxy) => proxy.slowDown(random.between(1, 40))),
  },
  'lose a statement': { often: 8, run: async ({ servers, random }) => lose(servers, random, 'statement') },
  'lose an answer': { often: 14, run: async ({ servers, random }) => lose(servers, random, 'answer') },
  'end connections': {
    often: 5,
    run: ({ owner, random }) =>
      owner.rows(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'service' and random() < $1`, [
        random.pick([0.1, 1]),
      ]),
  },
  'kill -9 a backend': {
    often: 2,
    run: async ({ cluster, owner }) => {
      const [backend] = await owner.rows<{ pid: number }>(
        `select pid from pg_stat_activity where usename = 'service' order by state = 'active' desc, random() limit 1`,
      );
      if (backend) await cluster.kill(backend.pid);
    },
  },
  'kill -9 the postmaster': { often: 2, run: ({ cluster }) => cluster.kill() },
  'switch over to the standby': { often: 2, isFailover: true, run: ({ cluster }) => cluster.switchOver!() },
  'freeze the primary': { often: 2, isFailover: true, run: ({ cluster }) => cluster.freeze!() },
  'move the clock': { often: 4, run: ({ owner, random }) => owner.moveClock(random.pick(['1 hour', '23 hours', '10 days', '31 days'])) },
  'load a county': { often: 5, run: ({ counties, random }) => counties.load(random.pick(countyCodes), random) },
  'roll back a county': { often: 3, run: ({ counties, random }) => counties.rollBack(random.pick(countyCodes)) },
  'withdraw a county': {
    often: 4,
    run: async ({ counties, random }) => {
      const fips = random.pick(countyCodes);
      await counties.withdraw(fips);
      await pause(random.between(500, 4_000));
      await patiently(() => counties.load(fips, random));
    },
  },
  prune: { often: 2, run: ({ counties, random }) => counties.prune(random.pick([0, 1, 7])) },
  // Clients find their token revoked, and take another one.
  'revoke a token': {
    often: 5,
    run: async ({ owner, purses, paid, random }) => {
      const token = random.pick(paid);
      const usable = await owner.rows<{ id: string }>(
        'select id from api_token where balance_id = $1 and revoked_at is null order by issued_at desc limit 8',
        [token.balanceId],
      );
      if (usable.length > 0) await purses.revoke(token, random.pick(usable).id);
    },
  },
  'set an overage cap': {
    often: 4,
    run: ({ owner, paid, random }) =>
      owner.rows('update credit_balance set overage_cap = $2 where id = $1', [
        random.pick(paid).balanceId,
        random.pick([null, 0, random.between(1, 500), 100_000]),
      ]),
  },
  'adjust a balance': {
    often: 6,
    run: ({ owner, paid, random }) =>
      owner.rows(adjustment(random.pick(paid).balanceId, random.pick([random.between(1, 3_000), -random.between(1, 200)]))),
  },
};

async function during(servers: TorturedServer[], ms: number, disturb: (proxy: FaultProxy) => void): Promise<void> {
  for (const { proxy } of servers) disturb(proxy);
  await pause(ms);
  for (const { proxy } of servers) proxy.mend();
}

const lose = (servers: TorturedServer[], random: Random, what: 'statement' | 'answer'): void =>
  random.pick(servers).proxy.lose(what, random.pick(['spend', 'spend', 'undelivered_read', 'reverse', 'parcel']));

export const disturbanceNames = Object.keys(disturbances);

/** Between two disturbances. */
const pausesMs = [100, 1_300] as const;

/** Does one thing after another until it is over, beside each other where one takes long; counts how often each was done. */
export async function disturb(scene: Scene, only: string[], isOver: () => boolean): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const chosen = Object.entries(disturbances)
    .filter(([name]) => only.length === 0 || only.includes(name))
    .filter(([, { isFailover }]) => !isFailover || scene.cluster.freeze);
  const weights = Object.fromEntries(chosen.map(([name, { often }]) => [name, often]));
  const underWay = new Set<Promise<unknown>>();
  while (!isOver()) {
    const name = scene.random.weighted(weights);
    counts[name] = (counts[name] ?? 0) + 1;
    const say = (more = '') => console.error(`  ${new Date().toISOString()} ${name}${more}`);
    say();
    // Its own dice, as how long it takes must not decide what the next one does.
    const work: Promise<unknown> = disturbances[name]!.run({ ...scene, random: scene.random.fork(`${name} ${counts[name]}`) })
      .catch((error: Error) => say(` failed: ${error.message}`)) // the database was just away; the next one comes anyway
      .finally(() => underWay.delete(work));
    underWay.add(work);
    await pause(scene.random.between(...pausesMs));
  }
  await Promise.all(underWay);
  return counts;
}
