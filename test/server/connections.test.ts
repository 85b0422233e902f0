import { readFileSync } from 'node:fs';
import type { Pool } from 'pg';
import { pino } from 'pino';
import { projectFile } from '../../src/core/project-files.js';
import { defaultConnections as serverConnections, shareConnections } from '../../src/database/connection-shares.js';
import { acquireEmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { warnIfTooFewConnections } from '../../src/database/limits.js';
import { closeAtEnd } from '../harness/closing.js';
import { openPool } from '../harness/database.js';
import { temporaryFolder } from '../harness/temporary-folder.js';

describe('the connections that Postgres allows', () => {
  let pool: Pool;
  beforeAll(async () => {
    const postgres = await acquireEmbeddedPostgres(await temporaryFolder(), pino({ level: 'silent' }));
    closeAtEnd(() => postgres.release());
    pool = openPool(postgres, { max: 1 });
  });

  const warningsFor = async (servers: number) => {
    const lines: string[] = [];
    await warnIfTooFewConnections(
      pool,
      servers * serverConnections,
      pino({ level: 'warn' }, { write: (line: string) => lines.push(line) }),
    );
    return lines;
  };

  it('are enough for eleven servers on the embedded database', async () => {
    expect(await warningsFor(11)).toEqual([]);
  });

  it('are warned of at the start when they are too few, with how many are missing', async () => {
    const [line, ...others] = await warningsFor(64);
    const { allowed, needed, msg } = JSON.parse(line!);
    expect(others).toEqual([]);
    expect(needed).toBe(64 * serverConnections);
    expect(msg).toContain(`Raise max_connections by ${needed - allowed}`);
  });

  it('are shared out whatever their number: no pool has fewer than two, jobs have six, and the sum is kept', () => {
    for (let total = 24; total <= 1_000; total++) {
      const { jobs, ...others } = shareConnections(total);
      expect(Math.min(...Object.values(others))).toBeGreaterThanOrEqual(2);
      expect(jobs).toBeGreaterThanOrEqual(6);
      expect(Object.values(others).reduce((sum, share) => sum + share, jobs)).toBeLessThanOrEqual(total);
    }
    expect(shareConnections()).toEqual({
      api: 12,
      control: 6,
      reports: 2,
      downloads: 2,
      apiRepositories: 4,
      controlRepositories: 6,
      webhooks: 4,
      jobs: 8,
    });
  });

  it('are stated by OPERATIONS.md for a server', () => {
    expect(readFileSync(projectFile('OPERATIONS.md'), 'utf8')).toMatch(
      new RegExp(`DATABASE_CONNECTIONS.*Default: ${serverConnections}\\.`),
    );
  });
});
