import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { projectFile } from '../../src/core/project-files.js';
import { restoreBackup } from './restore.js';
import type { Stack } from './stack.js';

/** A fault of the stack while customers read. */
export type Scene = (stack: Stack, say: (line: string) => void) => Promise<void>;

const snapshotMs = 15_000;
const frozenMs = 30_000;

const upgrade: Scene = async (stack, say) => {
  const snapshot = new Client({ connectionString: stack.urlOf('parcel_records') });
  await snapshot.connect();
  // As pg_dump does: one snapshot, and a lock on every table that lets others read and write.
  await snapshot.query('begin isolation level repeatable read read only');
  const { rows } = await snapshot.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
  );
  await snapshot.query(`lock table ${rows.map(({ name }) => name).join(', ')} in access share mode`);
  const upgraded = restartInTurn(stack.servers, projectFile());
  await pause(snapshotMs);
  say('the snapshot ends');
  await snapshot.query('commit');
  await snapshot.end();
  await upgraded;
};

async function restartInTurn(servers: Stack['servers'], version?: string): Promise<void> {
  for (const server of servers) {
    await server.end('SIGTERM');
    if (version) server.version = version;
    await server.run();
  }
}

const rollingRestart: Scene = ({ servers }) => restartInTurn(servers);

const switchover: Scene = async (stack) => {
  const leader = await stack.primary();
  await leader.switchOverTo(stack.other(leader));
  await stack.other(leader).becomes('primary');
  await leader.becomes('replica');
};

const leaderKilled: Scene = async (stack, say) => {
  const leader = await stack.primary();
  await leader.signal('SIGKILL');
  await stack.other(leader).becomes('primary');
  say(`${stack.other(leader).name} leads`);
  await leader.start();
  await leader.becomes('replica');
};

/** The machine stops in the middle of everything: its connections stay open and nothing answers. Later it comes back and must not lead. */
const machineGone: Scene = async (stack, say) => {
  const leader = await stack.primary();
  await leader.signal('SIGSTOP');
  try {
    await Promise.all([stack.other(leader).becomes('primary'), pause(frozenMs)]);
  } finally {
    await leader.signal('SIGCONT');
  }
  say(`${leader.name} is back`);
  await leader.becomes('replica');
};

export const scenes: Record<string, Scene> = {
  'upgrade under a snapshot': upgrade,
  'rolling restart': rollingRestart,
  switchover,
  'leader killed': leaderKilled,
  'machine gone': machineGone,
  "yesterday's backup restored": restoreBackup,
};
