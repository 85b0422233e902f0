import type { Command } from 'commander';
import { printJson } from '../core/printable.js';
import type { CliServices } from '../database/cli-services.js';

export function registerMailCommands(program: Command, services: CliServices): void {
  program
    .command('mails')
    .description('print the newest emails of a service without SMTP_URL, from all servers; they are kept for a week')
    .option('--to <email>', 'only emails to this address')
    .action(async ({ to }: { to?: string }) => {
      const { controlPool } = await services.database();
      const { rows } = await controlPool.query<{ createdAt: Date; recipient: string; source: string }>(
        `select * from (select created_at as "createdAt", recipient, source from unsent_mail
                         where $1::text is null or recipient = $1 order by created_at desc limit 20) newest order by "createdAt"`,
        [to ?? null],
      );
      if (services.json) printJson(rows);
      else console.log(rows.map(({ createdAt, source }) => `${createdAt.toISOString()}\n${source}`).join('\n\n') || 'No emails.');
    });
}
