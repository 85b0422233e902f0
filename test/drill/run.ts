import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { projectFile } from '../../src/core/project-files.js';
import { type Comparison, compare } from '../torture/compare.js';
import { Ledger } from '../torture/ledger.js';
import { patiently } from '../torture/patiently.js';
import { Random } from '../torture/random.js';
import { auditBreaks, waitForSweepers, wrongBalances } from '../torture/run.js';
import { Clients } from './clients.js';
import { Operator } from './operator.js';
import { countAnswers, lostAndDoubled, type SceneOutcome } from './outcome.js';
import type { Programs } from './programs.js';
import { scenes } from './scenes.js';
import { Stack } from './stack.js';
import { buildVersion } from './version.js';

interface DrillOptions {
  only: string[];
  clients: number;
  /** The commit from which the upgrade starts. */
  from: string;
  say(line: string): void;
}

const tokens = 4;
const calmMs = 2_000;

/** Plays the scenes one after another on one stack, and reconciles what the clients got with the ledger after each. */
export async function drill(programs: Programs, { only, clients, from, say }: DrillOptions): Promise<SceneOutcome[]> {
  const chosen = Object.entries(scenes).filter(([name]) => only.length === 0 || only.includes(name));
  const folder = await mkdtemp(join(tmpdir(), 'parcel-records-drill-files-'));
  const stack = await Stack.create(programs);
  try {
    const version = chosen.some(([name]) => name.startsWith('upgrade')) ? await buildVersion(from, folder) : projectFile();
    await stack.start(version);
    const operator = new Operator(stack.urlOf('parcel_records'), folder, version);
    await operator.loadCounty('25017');
    const opened = [];
    for (let i = 1; i <= tokens; i++) opened.push(await operator.openAccount(stack.servers[0]!, `customer-${i}@example.com`));
    say(`two nodes, two servers, ${clients} clients; servers of ${version === projectFile() ? 'today' : from.slice(0, 8)}`);
    const reader = new Clients(stack.url, opened, new Random('drill'));
    const outcomes: SceneOutcome[] = [];
    let before: Comparison | null = null;
    for (const [scene, play] of chosen) {
      say(scene);
      const from = reader.log.length;
      const startedAt = Date.now();
      let failure: string | null = null;
      await reader.readDuring(clients, async () => {
        await play(stack, (line) => say(`  ${line}`)).catch((error: Error) => (failure = error.message));
        await pause(calmMs); // so that what comes back too late counts
      });
      const endedAt = Date.now();
      await waitForSweepers(stack.owner);
      const ledger = await patiently(() => Ledger.read(stack.owner));
      const found = compare(ledger, reader.log, [], [], []);
      const broken = [...(await auditBreaks(stack.urlOf('parcel_records'), folder)), ...(await wrongBalances(stack.owner))];
      outcomes.push({
        scene,
        seconds: (endedAt - startedAt) / 1000,
        ...countAnswers(reader.log.slice(from), startedAt, endedAt),
        ...lostAndDoubled(found, before),
        audit: broken.length === 0 ? null : broken.join(' · '),
        failure,
      });
      before = found;
    }
    return outcomes;
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
