import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Example, examples } from '../../src/console/docs/examples.js';
import { loadSampleCounty } from '../../src/loader/sample-county.js';
import { createLog } from '../../src/log.js';
import { startApp, type TestApp } from '../harness/app.js';
import { eventually } from '../harness/eventually.js';

const run = promisify(execFile);

let app: TestApp;
let token: string;

beforeAll(async () => {
  app = await startApp();
  await loadSampleCounty(app.database, createLog(app.config));
  await eventually('the server knows the release', async () => (await app.get('/api/coverage')).json.totals.parcels > 0);
  token = await app.trialToken();
});

async function answerTo({ command }: Example): Promise<string> {
  const { stdout } = await run('sh', ['-c', command.replaceAll('$BASE_URL', app.config.baseUrl)], {
    env: { ...process.env, API_TOKEN: token },
  });
  return stdout.replaceAll('\r\n', '\n').trim();
}

/** The answer as the docs show it, where `…` may be anything. */
function quoteValue({ answer }: Example): RegExp {
  const parts = answer.replaceAll('$BASE_URL', app.config.baseUrl).split('…');
  return new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^]*')}$`);
}

describe('the examples of the docs, run in a shell one after the other', () => {
  it.each(Object.entries(examples))('%s is answered as shown', async (name, example) => {
    if (name === 'idempotency') await answerTo(example).catch(() => 'grep finds nothing the first time');
    expect(await answerTo(example)).toMatch(quoteValue(example));
  });
});
