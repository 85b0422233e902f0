import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Pool } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { runScript } from './child.js';
import { benchCounty, writeCountyFile } from './county-file.js';
import { grouped, median, ratio } from './figures.js';
import { inTurns } from './rounds.js';
import type { Row } from './row.js';

const records = 100_000;

interface Load {
  releaseId: number;
  loaded: number;
  seconds: number;
  peakMemoryMb: number;
}

export const loading: Row = {
  name: 'load',
  title: `loading ${grouped(records)} polygons of GeoJSON`,
  measure: async ({ database: { pool }, dataDir }) => {
    const source = join(dataDir, 'county.geojson');
    const rows = join(dataDir, 'rows.copy');
    await writeCountyFile(source, records);
    await pool.query('create table bare_copy (like parcel including all)');
    let releaseId: number | undefined;
    const [loads, copies] = await inTurns(
      async () => {
        const load = await loadCounty(benchCounty, source, dataDir);
        if (releaseId === undefined) await saveRows(pool, load.releaseId, rows);
        releaseId = load.releaseId;
        return load;
      },
      async () => records / (await copyRows(pool, rows)),
    );
    await pool.query('drop table bare_copy');
    const rates = loads.map(({ loaded, seconds }) => loaded / seconds);
    return [
      { name: 'rows loaded', value: median(rates), unit: '/s' },
      { name: 'rows of a bare COPY of the same', value: median(copies), unit: '/s' },
      { name: 'rate against it', value: ratio(rates, copies), unit: '×', aim: { atLeast: 0.7 } },
      { name: 'peak memory', value: Math.max(...loads.map((load) => load.peakMemoryMb)), unit: 'MB', aim: { atMost: 150 } },
    ];
  },
};

async function loadCounty(county: string, file: string, dataDir: string): Promise<Load> {
  const { stdout, peakMemoryMb } = await runScript('src/cli.js', ['--json', 'load', '--county', county, file], { DATA_DIR: dataDir });
  return { ...(JSON.parse(stdout) as Omit<Load, 'peakMemoryMb'>), peakMemoryMb };
}

async function saveRows(pool: Pool, releaseId: number, path: string): Promise<void> {
  const client = await pool.connect();
  const query = `copy (select release_id, ordinal, apn, record from parcel where release_id = ${releaseId} order by ordinal) to stdout`;
  await pipeline(client.query(copyTo(query)), createWriteStream(path));
  client.release();
}

/** As fast as Postgres takes them: text that needs no thinking, into a table with the same key. Gives the seconds it took. */
async function copyRows(pool: Pool, path: string): Promise<number> {
  await pool.query('truncate bare_copy');
  const startedAt = performance.now();
  const client = await pool.connect();
  await pipeline(createReadStream(path, { highWaterMark: 256 * 1024 }), client.query(copyFrom('copy bare_copy from stdin')));
  client.release();
  return (performance.now() - startedAt) / 1000;
}
