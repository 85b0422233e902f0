import type { Command } from 'commander';
import { printJson } from '../core/printable.js';
import type { CliServices } from './cli-services.js';

const distributeHelp = `
--distribute-parcels needs Citus with its workers added; the tables of money stay on the coordinator. It copies the records: reads and
loads wait until it is done, and the disk needs room for both copies. Run it before the first load or while no server runs, once.`;

export function registerDatabaseCommands(program: Command, services: CliServices): void {
  program
    .command('migrate')
    .description('bring the database up to date: migrations and the list of counties (every start also does this)')
    .option('--distribute-parcels', 'also distribute the records over the workers of Citus, each release on one worker')
    .addHelpText('after', distributeHelp)
    .action(async ({ distributeParcels = false }: { distributeParcels?: boolean }) => {
      // Opening the database migrates it.
      const { dataSource, url } = await services.database({ mayCreate: true });
      const distributed = distributeParcels ? await (await import('./distribute-parcels.js')).distributeTables(url) : [];
      const [{ count }] = await dataSource.query('select count(*)::integer as count from migrations');
      if (services.json) printJson({ migrations: count, ...(distributeParcels && { distributed }) });
      else
        console.log(
          `the database is up to date: ${count} migrations applied${distributed.map((table) => `; distributed ${table}`).join('')}`,
        );
    });
}
