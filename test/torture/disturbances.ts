import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from './cluster.js';
import { type Counties, countyCodes } from './counties.js';
import type { TortureOptions } from './options.js';
import type { Owner } from './owner.js';
import { patiently } from './patiently.js';
import type { Purses, Token } from './purse.js';
import type { Random } from './random.js';
import type { TorturedServer } from './server.js';

export interface Scene {
  cluster: Cluster;
  servers: TorturedServer[];
  owner: Owner;
  counties: Counties;
  purses: Purses;
  paid: Token[];
  random: Random;
}

export type Disturbance = (scene: Scene) => Promise<void>;

const killServer: Disturbance = async ({ servers, random }) => {
  const server = random.pick(servers);
  const downMs = random.between(0, 1_000);
  if (!(await server.end('SIGKILL'))) return;
  await pause(downMs);
  await server.run();
};

const drainServer: Disturbance = async ({ servers, random }) => {
  const server = random.pick(servers);
  if (await server.end('SIGTERM')) await server.run();
};

const resetLines: Disturbance = async ({ servers, random }) => {
  random.pick(servers).proxy.reset(random, random.pick([0.2, 1]));
};

const stall: Disturbance = async ({ servers, random }) => {
  const { proxy } = random.pick(servers);
  proxy.stall();
  await pause(random.between(50, 3_000));
  proxy.calm();
};

const stallAll: Disturbance = async ({ servers, random }) => {
  for (const { proxy } of servers) proxy.stall();
  await pause(random.between(50, 2_000));
  for (const { proxy } of servers) proxy.calm();
};

const blackhole: Disturbance = async ({ servers, random }) => {
  const { proxy } = random.pick(servers);
  proxy.blackhole(random, random.pick([0.3, 1]));
  await pause(random.between(500, 6_000));
  proxy.calm();
};

const delay: Disturbance = async ({ servers, random }) => {
  const { proxy } = random.pick(servers);
  proxy.slowDown(random.between(1, 40));
  await pause(random.between(500, 3_000));
  proxy.calm();
};

const loseStatement: Disturbance = async ({ servers, random }) => {
  random.pick(servers).proxy.lose('statement', random.pick(['spend', 'undelivered_read', 'reverse', 'parcel']));
};

const loseAnswer: Disturbance = async ({ servers, random }) => {
  random.pick(servers).proxy.lose('answer', random.pick(['spend', 'spend', 'undelivered_read', 'reverse', 'parcel']));
};

const endConnections: Disturbance = async ({ owner, random }) => owner.endConnections(random.pick([0.1, 1]));

const killBackend: Disturbance = async ({ cluster, owner }) => {
  const pid = await owner.anyBackend();
  if (pid !== null) await cluster.killBackend(pid);
};

const killDatabase: Disturbance = async ({ cluster, random }) => {
  const downMs = random.between(0, 1_500);
  await cluster.kill();
  await pause(downMs);
  await cluster.restart();
};

const endPeriod: Disturbance = async ({ owner, random }) => owner.moveClock(random.pick(['1 hour', '23 hours', '10 days', '31 days']));

const load: Disturbance = async ({ counties, random }) => counties.load(random.pick(countyCodes), random);

const rollBack: Disturbance = async ({ counties, random }) => counties.rollBack(random.pick(countyCodes));

const withdraw: Disturbance = async ({ counties, random }) => {
  const fips = random.pick(countyCodes);
  await counties.withdraw(fips);
  await pause(random.between(500, 4_000));
  await patiently(() => counties.load(fips, random));
};

const prune: Disturbance = async ({ counties, random }) => counties.prune(random.pick([0, 1, 7]));

/** Clients find their token revoked, and take another one. */
const revoke: Disturbance = async ({ owner, purses, paid, random }) => {
  const { purse } = random.pick(paid);
  const id = await owner.anyToken(purse.balanceId, random.next());
  if (id !== null) await purses.revoke({ id, raw: '', purse });
};

const cap: Disturbance = async ({ owner, paid, random }) =>
  owner.setOverageCap(random.pick(paid).purse.balanceId, random.pick([null, 0, random.between(1, 500), 100_000]));

const adjust: Disturbance = async ({ owner, paid, random }) =>
  owner.adjust(random.pick(paid).purse.balanceId, random.pick([random.between(1, 3_000), -random.between(1, 200)]));

const disturbances: Record<string, { often: number; run: Disturbance }> = {
  'kill -9 a server': { often: 14, run: killServer },
  'end a server in order': { often: 3, run: drainServer },
  'reset lines': { often: 6, run: resetLines },
  'stall a server': { often: 3, run: stall },
  'stall all servers': { often: 2, run: stallAll },
  blackhole: { often: 4, run: blackhole },
  delay: { often: 4, run: delay },
  'lose a statement': { often: 8, run: loseStatement },
  'lose an answer': { often: 14, run: loseAnswer },
  'end connections': { often: 5, run: endConnections },
  'kill -9 a backend': { often: 2, run: killBackend },
  'kill -9 the postmaster': { often: 2, run: killDatabase },
  'move the clock': { often: 4, run: endPeriod },
  'load a county': { often: 5, run: load },
  'roll back a county': { often: 3, run: rollBack },
  'withdraw a county': { often: 4, run: withdraw },
  prune: { often: 2, run: prune },
  'revoke a token': { often: 5, run: revoke },
  'set an overage cap': { often: 4, run: cap },
  'adjust a balance': { often: 6, run: adjust },
};

export const disturbanceNames = Object.keys(disturbances);

/** Does one thing after another until it is over, beside each other where one takes long; counts how often each was done. */
export async function disturb(
  scene: Scene,
  { calmSeconds, only, say }: Pick<TortureOptions, 'calmSeconds' | 'only' | 'say'>,
  isOver: () => boolean,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const chosen = Object.entries(disturbances).filter(([name]) => only.length === 0 || only.includes(name));
  const weights = Object.fromEntries(chosen.map(([name, { often }]) => [name, often]));
  const underWay = new Set<Promise<void>>();
  while (!isOver()) {
    const name = scene.random.weighted(weights);
    counts[name] = (counts[name] ?? 0) + 1;
    say(`  ${new Date().toISOString()} ${name}`);
    // Its own dice, as how long it takes must not decide what the next one does.
    const work = disturbances[name]!.run({ ...scene, random: scene.random.fork(`${name} ${counts[name]}`) })
      .catch((error: Error) => say(`  ${new Date().toISOString()} ${name} failed: ${error.message}`)) // the database was just away; the next one comes anyway
      .finally(() => underWay.delete(work));
    underWay.add(work);
    await pause(scene.random.between(100, calmSeconds * 2_000 - 100));
  }
  await Promise.all(underWay);
  return counts;
}
