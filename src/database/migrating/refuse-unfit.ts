import { AppError } from '../../core/errors.js';
import type { StatementRunner } from '../statement-runner.js';

// Triggers that are created or replaced came with it.
const oldestVersion = 14;

/** @throws AppError where Postgres is too old for our statements, or its database cannot hold every letter */
export async function refuseUnfit(db: StatementRunner): Promise<void> {
  const { rows } = (await db.query(
    `select current_setting('server_version') as version, current_setting('server_version_num')::integer / 10000 as major,
            current_setting('server_encoding') as encoding`,
  )) as { rows: { version: string; major: number; encoding: string }[] };
  const { version, major, encoding } = rows[0]!;
  if (major < oldestVersion) {
    throw new AppError('invalid_request', `DATABASE_URL leads to Postgres ${version}: ${oldestVersion} or newer is needed.`);
  }
  if (encoding !== 'UTF8') {
    const remedy = `create one with "encoding 'UTF8' template template0"`;
    throw new AppError('invalid_request', `The database of DATABASE_URL holds ${encoding}, not every letter: ${remedy}.`);
  }
}
