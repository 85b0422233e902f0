import { execFile } from 'node:child_process';
import { mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { eventually } from '../harness/eventually.js';
import { Owner } from '../torture/owner.js';
import { TorturedServer } from '../torture/server.js';
import { Operator } from './operator.js';
import type { Scene } from './scenes.js';

// A running server looks for jobs every two seconds.
const severalPollsMs = 8_000;
const run = promisify(execFile);

/** A copy of the database beside the real one serves its books, and sends nothing until an operator says that it is the real one. */
export const restoreBackup: Scene = async (stack, say) => {
  const dump = join(stack.folder, 'yesterday.dump');
  await stack.owner.rows(`select graphile_worker.add_job('send-mail', $1::json, run_at => now() + interval '1 day')`, [
    JSON.stringify({ recipient: 'ada@example.com', subject: 'Yours', text: 'A mail of yesterday' }),
  ]);
  await run(stack.programs.pg_dump, ['-Fc', '--file', dump, stack.urlOf('parcel_records')]);
  await stack.owner.rows('create database restored owner service');
  await run(stack.programs.pg_restore, ['--no-owner', '--dbname', stack.urlOf('restored'), dump]);
  const operator = new Operator(stack.urlOf('restored'), await mkdtemp(join(stack.folder, 'restored-')));
  await operator.run('audit');
  say('restored; its audit holds');
  const restored = new Owner(stack.urlOf('restored'));
  await restored.rows(
    `select graphile_worker.reschedule_jobs((select array_agg(id) from graphile_worker.jobs where task_identifier = 'send-mail'), run_at => now())`,
  );
  await restored.close();
  const copy = await TorturedServer.start('the copy', stack.urlOf('restored'));
  try {
    const outbox = join(copy.dataDir, 'outbox');
    const mails = () => readdir(outbox).catch(() => []);
    await pause(severalPollsMs);
    if ((await mails()).length > 0) throw new Error('the copy sent a mail before it was confirmed');
    await operator.run('database', 'confirm', '--reason', 'the drill');
    await eventually('the confirmed copy sends its mail', async () => (await mails()).length > 0);
  } finally {
    await copy.close();
  }
};
