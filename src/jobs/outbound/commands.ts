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
  const choices = [
    ['confirm', 'say that this is the real database: mail and Stripe resume', 'mail and Stripe resume within seconds'],
    [
      'hold',
      'say that this is a copy: no mail is sent and nothing is written to Stripe',
      'no mail is sent and nothing is written to Stripe',
    ],
  ] as const;
  for (const [name, description, result] of choices) {
    const isReal = name === 'confirm';
    database
      .command(name)
      .description(description)
      .requiredOption('--reason <text>', 'why, for the activity log')
      .action(async ({ reason: text }: { reason: string }) => {
        const reason = readReason(text);
        const { controlPool, controlDataSource } = await services.database();
        const { leaveHome, makeHome } = await import('../../database/database-home.js');
        await (isReal ? makeHome : leaveHome)(controlPool);
        const action = { actor: commandLine, action: `${name} database`, target: 'database', reason };
        await controlDataSource.transaction((manager) => recordAction(manager, action));
        if (services.json) printJson({ isReal });
        else console.log(result);
      });
  }
}
