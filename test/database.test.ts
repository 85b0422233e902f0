import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../src/database/database.js';
import { withFileLock } from '../src/database/file-lock.js';
import { createLog } from '../src/log.js';
import { createTestDatabase, type TestDatabase } from './harness/database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe('the database at start', () => {
  it('knows all 3,144 counties of the states and DC, and the territories', async () => {
    const [row] = await database.query(
      `select count(*)::int as all, count(*) filter (where state not in ('PR', 'GU', 'VI', 'AS', 'MP'))::int as states from county`,
    );
    expect(row).toEqual({ all: 3233, states: 3144 });
  });

  it('is migrated once however many servers start at the same time', async () => {
    const log = createLog({ logLevel: 'silent' });
    const servers = await Promise.all(
      Array.from({ length: 6 }, () => openDatabase({ databaseUrl: database.url, dataDir: '/nowhere' }, log)),
    );
    const applied = await database.query('select name, count(*)::int as times from migrations group by name');
    expect(applied.length).toBeGreaterThan(0);
    expect(applied.every((migration) => migration.times === 1)).toBe(true);
    await Promise.all(servers.map((server) => server.close()));
  });
});

describe('the lock file of the embedded database', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parcel-records-lock-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('lets one in at a time', async () => {
    let inside = 0;
    const most = await Promise.all(
      Array.from({ length: 3 }, () =>
        withFileLock(join(folder, 'shared'), async () => {
          const now = ++inside;
          await new Promise(setImmediate);
          inside--;
          return now;
        }),
      ),
    );
    expect(most).toEqual([1, 1, 1]);
  });

  it.each([
    ['another process', 2 ** 22 + 1],
    ['one that had our number', process.pid],
  ])('is no hindrance when it was left by %s that died', async (_, holder) => {
    const path = join(folder, 'left');
    await writeFile(path, String(holder));
    expect(await withFileLock(path, async () => 'in')).toBe('in');
  });
});
