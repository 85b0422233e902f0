import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFile } from '../../src/core/project-files.js';
import { launch, ServiceProcess } from '../harness/process.js';
import type { Bench, Served } from './bench.js';
import { costOf, rateAgainst, rateOf } from './cost.js';
import { type Aim, type Figure, inTurns, median, type Row } from './figures.js';
import { get, metered } from './load.js';
import { countyFips } from './stock.js';

const largePage = `/api/parcels?county_fips=${countyFips}&limit=1000`;
const anonymousPaths = ['/api/coverage', '/api/counties'];

export const largePages: Row = {
  name: 'large',
  title: 'metered read of 1,000 records, pages in memory',
  measure: (bench) =>
    bench.withService(async (server) => {
      const { body } = await answerOf(server, largePage, { authorization: `Bearer ${bench.tokens[0]}` });
      const requests = bench.tokens.map((token) => metered(largePage, token));
      return besidePlainServer(bench, body, () => bench.serve(server, requests), { atLeast: 0.7 });
    }),
};

export const anonymous: Row = {
  name: 'anonymous',
  title: 'coverage and counties, anonymous',
  measure: (bench) =>
    bench.withService(async (server) => {
      const figures: Figure[] = [];
      for (const path of anonymousPaths) {
        const { body, entityTag } = await answerOf(server, path);
        figures.push(...(await besidePlainServer(bench, body, () => bench.serve(server, [get(path)]), { atLeast: 0.5 })));
        figures.push(await unchangedRate(bench, server, path, entityTag!));
      }
      // both paths have the same figures
      const each = figures.length / anonymousPaths.length;
      return figures.map((figure, index) => ({ ...figure, name: `${anonymousPaths[Math.floor(index / each)]}: ${figure.name}` }));
    }),
};

async function answerOf(server: ServiceProcess, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}${path}`, { headers: { 'accept-encoding': 'identity', ...headers } });
  return { body: Buffer.from(await response.arrayBuffer()), entityTag: response.headers.get('etag') };
}

/** Our answers in turns with node:http writing the same bytes. */
async function besidePlainServer(bench: Bench, body: Buffer, ours: () => Promise<Served>, aim: Aim): Promise<Figure[]> {
  const file = join(bench.dataDir, 'body.json');
  await writeFile(file, body);
  const plain = await ServiceProcess.start({}, (env) =>
    launch(process.execPath, [projectFile('dist/tests/test/bench/plain-server.js'), file], env),
  );
  try {
    const [served, written] = await inTurns(ours, () => bench.serve(plain, [get('/')]));
    const theirs = written.map((each) => ({ rate: rateOf(each) }));
    return [...costOf(served), ...rateAgainst(`node:http writing the same ${body.length} bytes`, served, theirs, aim)];
  } finally {
    await plain.end('SIGTERM');
  }
}

/** How fast we say that nothing has changed. */
async function unchangedRate(bench: Bench, server: ServiceProcess, path: string, entityTag: string): Promise<Figure> {
  const [unchanged] = await inTurns(() => bench.serve(server, [get(path, { 'If-None-Match': entityTag })]));
  return { name: 'rate of 304', value: median(unchanged.map(rateOf)), unit: '/s' };
}
