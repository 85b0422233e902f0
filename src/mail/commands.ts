import type { Command } from 'commander';
import { printJson } from '../core/printable.js';
import type { CliServices } from '../database/cli-services.js';
import type { UnsentMail } from './unsent-mails.js';

export function registerMailCommands(program: Command, services: CliServices): void {
  program
    .command('mails')
    .description('print the newest emails of a service without SMTP_URL, from all servers; they are kept for a week')
    .option('--to <email>', 'only emails to this address')
    .action(async ({ to }: { to?: string }) => {
      const { controlPool } = await services.database();
      const { unsentMails } = await import('./unsent-mails.js');
      const mails = await unsentMails(controlPool, to ?? null);
      if (services.json) printJson(mails);
      else if (mails.length === 0) console.log('No emails.');
      else console.log(mails.map(describe).join('\n\n'));
    });
}

const describe = ({ createdAt, source }: UnsentMail): string => `${createdAt.toISOString()}\n${source}`;
