import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { promisify } from 'node:util';
import { projectFile } from '../../src/core/project-files.js';
import { startApp, type TestApp } from '../harness/app.js';
import { onlyWith } from '../harness/only-with.js';
import { publishRecords } from '../harness/records.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import { withPython } from '../proofs/both-verifiers.js';

const run = promisify(execFile);

const square = [
  [-103.6003, 31.7066],
  [-103.6, 31.7066],
  [-103.6, 31.7069],
  [-103.6003, 31.7066],
];
const shapes = [{ type: 'Polygon', coordinates: [square] }, { type: 'MultiPolygon', coordinates: [[square], [square]] }, null];
const expected = { charged: 3, corners: [square[0], square[0], null], refused: 'invalid' };

/** How each writes a client of a contract into the folder of the programs. */
const generators: Record<string, (contract: string) => string[]> = {
  'openapi-typescript': (contract) => ['openapi-typescript', contract, '-o', 'openapi-typescript.generated.d.ts'],
  'hey-api': (contract) => ['openapi-ts', '-i', contract, '-o', 'hey-api', '-c', '@hey-api/client-fetch'],
  orval: (contract) => ['orval', '--input', contract, '--output', 'orval.generated.ts', '--client', 'fetch'],
  oazapfts: (contract) => ['oazapfts', contract, 'oazapfts.generated.ts'],
};

// They weigh 190 MB, so they are no dependencies of the project: `npm run clients` installs them into a folder of its own.
const isAsked = process.env.CLIENTS !== undefined;

onlyWith(isAsked, 'not asked for by npm run clients').describe('a client that is generated from /openapi.json', () => {
  let app: TestApp;
  let folder: string;
  /** Runs a command of an installed package in the folder of the programs. */
  const npx = (...command: string[]) => run('npx', ['--no', '--', ...command], { cwd: `${folder}/programs` });

  beforeAll(async () => {
    app = await startApp();
    const release = await publishRecords(app.db, '48301', shapes.length);
    for (const [i, shape] of shapes.entries()) {
      const text = `"geometry":${JSON.stringify(shape)}`;
      await app.db.query(`update parcel set record = replace(record, '"geometry":null', $3) where release_id = $1 and ordinal = $2`, [
        release,
        i + 1,
        text,
      ]);
    }
    folder = await temporaryFolder();
    await cp(projectFile('test/clients'), folder, { recursive: true });
    await run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: folder });
    for (const generate of Object.values(generators)) await npx(...generate(`${app.url}/openapi.json`));
  }, 600_000);

  it('compiles strictly, with programs that tell the shapes apart', async () => {
    const { stdout } = await npx('tsc', '-p', '..').catch((error) => error);
    expect(stdout).toBe('');
  }, 300_000);

  it.each(Object.keys(generators))(
    'by %s reads records, what they cost, and why a token is refused',
    async (name) => {
      const { stdout } = await run(process.execPath, [`${folder}/programs/compiled/${name}.js`, app.url, await app.trialToken()]);
      expect(JSON.parse(stdout)).toEqual(expected);
    },
    300_000,
  );

  withPython.test(
    'by quicktype has types in Python that hold an answer whole',
    async () => {
      const named = ['ParcelPage', 'CountyList', 'ApiError'].map((name) => `${app.url}/openapi.json#/components/schemas/${name}`);
      await npx('quicktype', '-s', 'schema', ...named, '-l', 'python', '--no-date-times', '-o', 'quicktype_generated.py');
      const { stdout } = await run('python3', [`${folder}/programs/quicktype.py`, app.url, await app.trialToken()]);
      expect(JSON.parse(stdout)).toEqual(expected);
    },
    300_000,
  );
});
