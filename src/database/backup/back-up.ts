import type { Writable } from 'node:stream';
import { to as copyTo } from 'pg-copy-streams';
import { AppError } from '../../core/errors.js';
import { loadLimits } from '../limits.js';
import { ServiceClient } from '../service-client.js';
import { withSessionSettings } from '../session-settings.js';
import { type BackupHeader, type CopiedRows, writeBackup } from './backup-file.js';
import { columnsOf, sequencesOf, tablesOf } from './tables.js';

export interface BackupSummary {
  takenAt: string;
  tables: number;
  rows: number;
}

/**
 * Writes all rows as one snapshot sees them. No lock is stronger than that of a select.
 * @param onProgress called with the part of the work that is done, from 0 to 1
 */
export async function backUp(
  url: string,
  version: string,
  output: Writable,
  onProgress: (done: number) => void = () => {},
): Promise<BackupSummary> {
  const db = new ServiceClient({ connectionString: withSessionSettings(url), application_name: 'parcel-records backup', ...loadLimits });
  db.on('error', () => {}); // the running statement fails
  await db.connect();
  try {
    const names = (await tablesOf(db)).map(({ name }) => name);
    await db.query('begin isolation level repeatable read, read only');
    // Before the snapshot: one that is older than a change of a table would see none of its rows.
    await db.query(`lock table ${names.join(', ')} in access share mode`);
    const tables = await tablesOf(db);
    if (tables.map(({ name }) => name).join() !== names.join()) {
      throw new AppError('conflict', 'A migration changed the tables just now: make the backup again.');
    }
    const { rows } = await db.query(
      `select to_json(service_now())#>>'{}' as "takenAt", (select array_agg(name::text order by id) from migrations) as migrations,
              (select max(id) from graphile_worker.migrations) as "jobMigration"`,
    );
    const header: BackupHeader = { version, ...rows[0], tables: tables.map(({ name, columns }) => ({ name, columns })) };
    const all = tables.reduce((sum, { bytes }) => sum + bytes, 0);
    let before = 0;
    const end = await writeBackup(
      output,
      header,
      (table) => {
        const { bytes } = tables.find(({ name }) => name === table.name)!;
        const copied = db.query(copyTo(`copy (select ${columnsOf(db, table)} from ${table.name}) to stdout`));
        return watched(copied, bytes, (done) => {
          onProgress((before + done) / all);
          if (done === bytes) before += bytes;
        });
      },
      () => sequencesOf(db),
    );
    await db.query('commit');
    return { takenAt: header.takenAt, tables: tables.length, rows: end.tables.reduce((sum, { rows: each }) => sum + each, 0) };
  } finally {
    db.cut();
  }
}

/** Tells how far a table is, by its size on disk: how long its text will be is not known before. */
function watched(rows: CopiedRows, bytes: number, onBytes: (done: number) => void): CopiedRows {
  return {
    get rowCount() {
      return rows.rowCount;
    },
    async *[Symbol.asyncIterator]() {
      let done = 0;
      for await (const chunk of rows) {
        yield chunk;
        done += chunk.length;
        if (done < bytes) onBytes(done);
      }
      onBytes(bytes);
    },
  };
}
