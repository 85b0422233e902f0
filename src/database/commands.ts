import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { SingleBar } from 'cli-progress';
import type { Command } from 'commander';
import { printJson } from '../core/printable.js';
import type { CliServices } from './cli-services.js';
import type { PreparedDatabase } from './prepare-database.js';
import type { StatementRunner } from './statement-runner.js';

const backupHelp = `
The backup is one snapshot of all tables, compressed, with a digest. Servers keep running. It does not contain AUTH_SECRET,
which a restore needs, or uploads waiting to be loaded. It contains your customers' addresses: keep it as safe as the database.

FILE is replaced once the backup is complete. "-" writes it to standard output: "npm run --silent cli -- backup - | age -r KEY > FILE".`;

const restoreHelp = `
The whole backup is checked before anything is changed. It goes into an empty database: that of DATABASE_URL, or a new one in DATA_DIR, with
room for the backup twice. No server may use it before the end. A backup of an older version is migrated; one of a newer version is refused.

The restored database sends no mail and writes nothing to Stripe until "database confirm". "-" reads from standard input.`;

const heldNote = 'no mail is sent and nothing is written to Stripe until you run: database confirm --reason TEXT';

/** @param reach opens a database as it is; an interrupt releases it @param recordBackup remembers that there is a new backup */
export function registerDatabaseCommands(
  program: Command,
  services: CliServices,
  reach: () => Promise<Pick<PreparedDatabase, 'url' | 'release'>>,
  recordBackup: (db: StatementRunner) => Promise<void>,
): void {
  /** Shows at a terminal how many bytes were copied. */
  const countBytes = <Result>(copy: (onBytes: (count: number) => void) => Promise<Result>): Promise<Result> => {
    if (!process.stderr.isTTY || services.json) return copy(() => {});
    const bar = new SingleBar({ format: '{value} bytes' });
    bar.start(0, 0);
    return copy((bytes) => bar.increment(bytes)).finally(() => bar.stop());
  };
  program
    .command('migrate')
    .description('bring the database up to date: migrations and the list of counties (every start also does this)')
    .action(async () => {
      // Opening the database migrates it.
      const { dataSource } = await services.database({ mayCreate: true });
      const [{ count }] = await dataSource.query('select count(*)::integer as count from migrations');
      if (services.json) printJson({ migrations: count });
      else console.log(`the database is up to date: ${count} migrations applied`);
    });
  program
    .command('backup')
    .description('back up the whole database, while servers run')
    .argument('<file>', 'where to write it; - for standard output')
    .addHelpText('after', backupHelp)
    .action(async (file: string) => {
      const { url, controlPool } = await services.database();
      const { backUp } = await import('./backup.js');
      const partly = `${file}.part`;
      const output = file === '-' ? process.stdout : createWriteStream(partly, { mode: 0o600, flush: true });
      try {
        const summary = await countBytes((onBytes) => backUp(url, program.version()!, output, onBytes));
        if (file !== '-') await rename(partly, file);
        await recordBackup(controlPool);
        if (file === '-') return;
        if (services.json) printJson(summary);
        else console.log(`backed up ${summary.rows} rows of ${summary.tables} tables, as of ${summary.takenAt}`);
      } catch (error) {
        if (file !== '-') await rm(partly, { force: true });
        throw error;
      }
    });
  program
    .command('restore')
    .description('fill an empty database with a backup')
    .argument('<file>', 'the backup; - for standard input')
    .option('--overwrite', 'first delete everything in the database')
    .addHelpText('after', restoreHelp)
    .action(async (path: string, { overwrite = false }: { overwrite?: boolean }) => {
      const { restore } = await import('./backup.js');
      const input = path === '-' ? process.stdin : (await open(path)).createReadStream();
      const { url, release } = await reach();
      try {
        const summary = await countBytes((onBytes) => restore(url, input, overwrite, services.log, onBytes));
        if (services.json) printJson(summary);
        else console.log(`restored ${summary.rows} rows, as of ${summary.takenAt}\n${heldNote}`);
      } finally {
        await release();
      }
    });
}
