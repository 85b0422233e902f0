import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase } from '../harness/database.js';
import { onlyWith } from '../harness/only-with.js';
import { Person } from '../harness/person.js';
import { type Finished, runCli, ServiceProcess } from '../harness/process.js';
import { temporaryFolder } from '../harness/temporary-folder.js';

const secret = 'a secret of the tests, thirty-two characters';
const distribute = (databaseUrl: string, folder: string): Promise<Finished> =>
  runCli(['migrate', '--distribute-parcels', '--json'], { DATABASE_URL: databaseUrl, DATA_DIR: folder, AUTH_SECRET: secret });

it('refuses to distribute parcels on a Postgres without Citus, and says what is missing', async () => {
  const { url } = await createTestDatabase();
  const { code, stderr } = await distribute(url, await temporaryFolder());
  expect(code).toBe(1);
  expect(JSON.parse(stderr.trim().split('\n').at(-1)!).error).toEqual({
    code: 'not_configured',
    message: expect.stringMatching(/^This database has no Citus: run "create extension citus"/),
  });
});

const citus = process.env.CITUS_URL;

onlyWith(citus !== undefined, 'no CITUS_URL').describe('with parcels on the workers of Citus', () => {
  let folder: string;
  const env = () => ({ DATABASE_URL: citus!, DATA_DIR: folder, AUTH_SECRET: secret });
  const load = async (values: (i: number) => number): Promise<string> => {
    const file = join(folder, 'county.csv');
    const rows = Array.from({ length: 300 }, (_, i) => `APN-${i + 1},${i + 1} MAIN STREET,${values(i)}`);
    await writeFile(file, ['APN,SITUS_ADDRESS,LAND_VALUE', ...rows].join('\n'));
    return (await runCli(['load', '--county', '25017', '--force', file], env())).stdout;
  };

  beforeAll(async () => {
    folder = await temporaryFolder();
    expect(await distribute(citus!, folder)).toMatchObject({ code: 0 });
  });

  it('distributing them again changes nothing', async () => {
    const { code, stdout } = await distribute(citus!, folder);
    expect([code, JSON.parse(stdout).distributed]).toEqual([0, []]);
  });

  it('the gate compares two releases record by record, reads are charged as ever, and the audit holds', async () => {
    await load((i) => 1000 + i);
    expect(await load((i) => (i % 3 === 0 ? 2000 + i : 1000 + i))).toContain('100 changed, 200 unchanged');
    const service = await ServiceProcess.start(env());
    const person = await Person.signUp(service.url);
    const read = await person.get('/api/parcels?county_fips=25017&limit=7', { token: await person.trialToken() });
    expect([read.status, read.json.parcels.length, read.json.metering.credits_charged]).toEqual([200, 7, 7]);
    await service.end('SIGTERM');
    expect(await runCli(['audit'], env())).toMatchObject({ code: 0 });
  });
});
