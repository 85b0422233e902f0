import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Pool } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { Database } from '../../src/database/database.js';
import { projectFile } from '../../src/project-files.js';
import { runScript } from './child.js';
import { benchCounty, writeCountyFile } from './county-file.js';
import { grouped, median, ratio } from './figures.js';

const rounds = 3;

interface Load {
  releaseId: number;
  loaded: number;
  seconds: number;
  peakMemoryMb: number;
}

/** Loads a generated county by the command line, in turns with a bare COPY of the very same rows, and prints the rates. */
export async function measureLoading(
  { pool }: Database,
  dataDir: string,
  records: number,
): Promise<{ releaseId: number; records: number }> {
  const source = join(dataDir, 'county.geojson');
  const rows = join(dataDir, 'rows.copy');
  await writeCountyFile(source, records);
  const loads: Load[] = [];
  const copies: number[] = [];
  await pool.query('create table bare_copy (like parcel including all)');
  for (let round = 0; round < rounds; round++) {
    const load = await loadCounty(benchCounty, source, dataDir);
    loads.push(load);
    if (round === 0) await saveRows(pool, load.releaseId, rows);
    copies.push(load.loaded / (await copyRows(pool, rows)));
  }
  await pool.query('drop table bare_copy');

  const loadRates = loads.map(({ loaded, seconds }) => loaded / seconds);
  console.log(`Loading ${grouped(records)} polygons of GeoJSON (rows a second, median of ${rounds})`);
  console.log(`  npm run cli -- load                ${grouped(median(loadRates)).padStart(9)}`);
  console.log(`  bare COPY of the same rows         ${grouped(median(copies)).padStart(9)}`);
  console.log(`  load / COPY                        ${ratio(loadRates, copies).padStart(9)}`);
  console.log(`  peak memory of the load, MB        ${grouped(Math.max(...loads.map((load) => load.peakMemoryMb))).padStart(9)}`);
  await loadRealCounty(dataDir);
  return { releaseId: loads.at(-1)!.releaseId, records };
}

/** A file that nobody made for us, where there is one. */
async function loadRealCounty(dataDir: string): Promise<void> {
  const cambridge = projectFile('../shared/data/parcels/25017-cambridge-fy2014/parcels_fy2014.geojson');
  if (!existsSync(cambridge)) return;
  const { loaded, seconds, peakMemoryMb } = await loadCounty('25017', cambridge, dataDir);
  console.log(`  Cambridge MA: ${grouped(loaded)} records, ${grouped(loaded / seconds)} a second, ${grouped(peakMemoryMb)} MB`);
}

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
