import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { AppError } from '../../core/errors.js';
import { printJson } from '../../core/printable.js';
import { readReason } from '../../core/reason.js';
import type { CliServices } from '../../database/cli-services.js';
import { commandLine, recordAction } from '../../operator-log/record-action.js';

const help = `
Keep the output out of reach of anyone who can change the database: "audit --checkpoint FILE --key VKEY" then shows what was
changed since. Keep the key once, from "checkpoint key"; it changes only with AUTH_SECRET.`;

const newOriginHelp = `
Use this only after a restore that lost entries or checkpoints, when servers refuse to sign because the log is shorter than what they
keep. The new log's first leaf names the newest checkpoint of the old one: that of DATA_DIR or of --after, if newer than the database's.
Everybody can see the break and the reason, which is also in the activity log.`;

const copyHelp = `
A server notices that its database was restored from a dump, or recovered from an older backup: other cluster, database or timeline. Then
no mail is sent and nothing is written to Stripe until "database confirm". It cannot notice a copied data directory: run "database hold"
on such a copy before a server starts.`;

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
  const database = program
    .command('database')
    .description('say whether this database is the real one or a copy')
    .addHelpText('after', copyHelp);
  const settle =
    (isReal: boolean) =>
    async ({ reason: text }: { reason: string }) => {
      const reason = readReason(text);
      const { controlPool, controlDataSource } = await services.database();
      const [{ leaveHome, makeHome }, { homeAlarm }] = await Promise.all([import('./database-home.js'), import('./outbound-hold.js')]);
      await (isReal ? makeHome : leaveHome)(controlPool);
      await controlDataSource.transaction(async (manager) => {
        if (isReal) await manager.query('delete from log_alarm where source = $1', [homeAlarm]);
        await recordAction(manager, {
          actor: commandLine,
          action: isReal ? 'confirm database' : 'hold database',
          target: 'database',
          reason,
        });
      });
      if (services.json) printJson({ isReal });
      else console.log(isReal ? 'mail and Stripe resume within seconds' : 'no mail is sent and nothing is written to Stripe');
    };
  database
    .command('confirm')
    .description('say that this is the real database: mail and Stripe resume')
    .requiredOption('--reason <text>', 'why, for the activity log')
    .action(settle(true));
  database
    .command('hold')
    .description('say that this is a copy: no mail is sent and nothing is written to Stripe')
    .requiredOption('--reason <text>', 'why, for the activity log')
    .action(settle(false));
}
