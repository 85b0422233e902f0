import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Presets, SingleBar } from 'cli-progress';
import type { Command } from 'commander';
import { printJson } from '../../core/printable.js';
import type { CliServices } from '../cli-services.js';
import type { PreparedDatabase } from '../prepare-database.js';
import { ServiceClient } from '../service-client.js';
import { withSessionSettings } from '../session-settings.js';
import type { StatementRunner } from '../statement-runner.js';

const backupHelp = `
The backup is one snapshot of all tables, compressed, with a digest of each table. Servers keep running. It does not contain AUTH_SECRET,
which a restore needs, or uploads waiting to be loaded. It contains your customers' addresses: keep it as safe as the database.

FILE is replaced once the backup is complete. "-" writes it to standard output: "npm run --silent cli -- backup - | age -r KEY > FILE".`;

const restoreHelp = `
The whole backup is checked before anything is written. It goes into an empty database: that of DATABASE_URL, or a new one in DATA_DIR. No server
may use it before the end. A backup of an older version is migrated; one of a newer version is refused.

The restored database sends no mail and writes nothing to Stripe until "database confirm". "-" reads from standard input, and keeps the backup in
the temporary folder (TMPDIR) meanwhile.`;

/**
 * @param reach opens a database as it is; an interrupt releases it
 * @param hold keeps the restored database from sending anything, provided by `proofs`
 */
export function registerBackupCommands(
  program: Command,
  services: CliServices,
  reach: () => Promise<Pick<PreparedDatabase, 'url' | 'release'>>,
  hold: (db: StatementRunner) => Promise<void>,
): void {
  program
    .command('backup')
    .description('back up the whole database, while servers run')
    .argument('<file>', 'where to write it; - for standard output')
    .addHelpText('after', backupHelp)
    .action(async (file: string) => {
      const { url } = await services.preparedDatabase();
      const { backUp } = await import('./back-up.js');
      const bar = new Bar(services.json);
      const partly = `${file}.part`;
      const output = file === '-' ? process.stdout : createWriteStream(partly, { mode: 0o600, flush: true });
      try {
        const summary = await backUp(url, program.version()!, output, (done) => bar.show(done));
        if (file === '-') return;
        await rename(partly, file);
        if (services.json) printJson(summary);
        else console.log(`backed up ${summary.rows} rows of ${summary.tables} tables, as of ${summary.takenAt}`);
      } catch (error) {
        if (file !== '-') await rm(partly, { force: true });
        throw error;
      } finally {
        bar.stop();
      }
    });
  program
    .command('restore')
    .description('fill an empty database with a backup')
    .argument('<file>', 'the backup; - for standard input')
    .option('--overwrite', 'first delete everything in the database')
    .addHelpText('after', restoreHelp)
    .action(async (path: string, { overwrite = false }: { overwrite?: boolean }) => {
      const { restore, verifyBackup } = await import('./restore.js');
      const bar = new Bar(services.json);
      const file = path === '-' ? await spooled() : await open(path);
      try {
        const header = await verifyBackup(file, (done) => bar.show(done / 2));
        const { url, release } = await reach();
        try {
          const summary = await restore(url, file, header, {
            overwrites: overwrite,
            log: services.log,
            onProgress: (done) => bar.show((1 + done) / 2),
          });
          const prepared = await services.preparedDatabase({ mayCreate: true }); // what is newer than the backup, functions and triggers
          await withClient(prepared.url, hold);
          bar.stop();
          if (services.json) printJson(summary);
          else console.log(describe(summary));
        } finally {
          await release();
        }
      } finally {
        bar.stop();
        await file.close();
      }
    });
}

const describe = ({ rows, takenAt, leftOut }: { rows: number; takenAt: string; leftOut: string[] }): string =>
  [
    `restored ${rows} rows, as of ${takenAt}`,
    ...(leftOut.length > 0 ? [`left out, because this version has no such tables: ${leftOut.join(', ')}`] : []),
    'no mail is sent and nothing is written to Stripe until you run: database confirm --reason TEXT',
  ].join('\n');

/** Standard input as a file without a name, which is gone with this process. */
async function spooled(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'parcel-records-restore-'));
  const file = await open(join(folder, 'backup'), 'wx+', 0o600);
  await rm(folder, { recursive: true });
  for await (const chunk of process.stdin) await file.write(chunk);
  return file;
}

async function withClient(url: string, work: (db: StatementRunner) => Promise<void>): Promise<void> {
  const db = new ServiceClient({ connectionString: withSessionSettings(url) });
  await db.connect();
  await work(db).finally(() => db.end());
}

class Bar {
  private bar: SingleBar | undefined;

  constructor(private readonly isQuiet: boolean) {}

  show(done: number): void {
    if (this.isQuiet || !process.stderr.isTTY) return;
    if (!this.bar) {
      this.bar = new SingleBar({ format: '{bar} {percentage}%' }, Presets.shades_classic);
      this.bar.start(1, 0);
    }
    this.bar.update(done);
  }

  stop(): void {
    this.bar?.stop();
  }
}
