import type { Command } from 'commander';
import { printJson } from '../core/printable.js';
import type { CliServices } from './cli-services.js';

export function registerDatabaseCommands(program: Command, services: CliServices): void {
  program
    .command('migrate')
    .description('bring the database up to date: migrations and the county catalogue (every start does it, too)')
    .action(async () => {
      // Opening the database migrates it.
      const { dataSource } = await services.database({ mayCreate: true });
      const [{ count }] = await dataSource.query('select count(*)::integer as count from migrations');
      if (services.json) printJson({ migrations: count });
      else console.log(`the database is up to date: ${count} migrations applied`);
    });
}
