import type { Command } from 'commander';
import { printJson } from '../../core/printable.js';
import { readReason } from '../../core/reason.js';
import type { CliServices } from '../../database/cli-services.js';
import { commandLine, recordAction } from '../../operator-log/record-action.js';

const copyHelp = `
A server notices that its database was restored from a dump, or recovered from an older backup: other cluster, database or timeline. Then
no mail is sent and nothing is written to Stripe until "database confirm". It cannot notice a copied data directory: run "database hold"
on such a copy before a server starts.`;

export function registerCopyCommands(program: Command, services: CliServices): void {
  const database = program
    .command('database')
    .description('say whether this database is the real one or a copy')
    .addHelpText('after', copyHelp);
  const settle =
    (isReal: boolean) =>
    async ({ reason: text }: { reason: string }) => {
      const reason = readReason(text);
      const { controlPool, controlDataSource } = await services.database();
      const { leaveHome, makeHome } = await import('../../database/database-home.js');
      await (isReal ? makeHome : leaveHome)(controlPool);
      const action = isReal ? 'confirm database' : 'hold database';
      await controlDataSource.transaction((manager) => recordAction(manager, { actor: commandLine, action, target: 'database', reason }));
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
