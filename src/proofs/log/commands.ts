import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { AppError } from '../../core/errors.js';
import { printJson } from '../../core/printable.js';
import { readReason } from '../../core/reason.js';
import type { CliServices } from '../../database/cli-services.js';

const help = `
Keep the output out of reach of anyone who can change the database: "audit --checkpoint FILE --key VKEY" then shows what was
changed since. Keep the key once, from "checkpoint key"; it changes only with AUTH_SECRET.`;

const newOriginHelp = `
Use this only after a restore that lost entries or checkpoints, when servers refuse to sign because the log is shorter than what they
keep. The new log's first leaf names the newest checkpoint of the old one: that of DATA_DIR or of --after, if newer than the database's.
Everybody can see the break and the reason, which is also in the activity log.`;

/** @param secretsOf the present AUTH_SECRET and the one before, provided by `accounts` */
export function registerLogCommands(program: Command, services: CliServices, secretsOf: () => Promise<[string, ...string[]]>): void {
  const command = program
    .command('checkpoint')
    .description('print the newest signed checkpoint of the log')
    .addHelpText('after', help)
    .action(async () => {
      const { controlPool } = await services.database();
      const { LogStore } = await import('./log.store.js');
      const newest = await new LogStore(controlPool).newestCheckpoint();
      if (!newest) throw new AppError('not_found', 'No checkpoint has been signed yet. A server signs one every hour.');
      if (services.json) printJson({ checkpoint: newest.note, origin: newest.origin, size: newest.size });
      else process.stdout.write(newest.note);
    });
  command
    .command('key')
    .description('print the verifier key of the newest log')
    .action(async () => {
      const { controlPool } = await services.database();
      const [{ LogStore }, { keysOf }] = await Promise.all([import('./log.store.js'), import('./log-room.js')]);
      const origin = await new LogStore(controlPool).newestOrigin();
      if (!origin) throw new AppError('not_found', 'No checkpoint has been signed yet. A server signs one every hour.');
      const key = keysOf(await secretsOf())[0].vkeyOf(origin.name);
      if (services.json) printJson({ key });
      else console.log(key);
    });
  command
    .command('new-origin')
    .description('begin a new log after a restore that lost part of the old one')
    .requiredOption('--reason <text>', 'why, for everybody who compares checkpoints')
    .option('--after <file>', 'the newest checkpoint of the old log that is known, if neither the database nor DATA_DIR has it')
    .addHelpText('after', newOriginHelp)
    .action(async ({ reason: text, after }: { reason: string; after?: string }) => {
      const reason = readReason(text);
      const { controlPool } = await services.database();
      const { beginNewOrigin } = await import('./new-origin.js');
      const given = after === undefined ? null : await readFile(after, 'utf8');
      const checkpoint = await beginNewOrigin(controlPool, services.config, await secretsOf(), reason, given);
      if (services.json) printJson({ checkpoint });
      else process.stdout.write(checkpoint);
    });
}
