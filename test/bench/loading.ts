import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Pool } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { Bench } from './bench.js';
import { runCommand, type Usage } from './child.js';
import { benchCounty, writeCountyFile, writeShapefile } from './county-file.js';
import { cpuSeconds } from './cpu.js';
import { type Figure, grouped, inTurns, median, type Row, ratio } from './figures.js';
import { type ForeignLoader, ogr2ogr, prepareForeignLoads, shp2pgsql } from './foreign-loaders.js';

const records = 100_000;
/** A large county; what a load holds must not grow with it. */
const manyRecords = 500_000;

/** The cost of one load. */
interface Load {
  releaseId: number;
  /** From the first to the last byte, as the command itself says. */
  seconds: number;
  /** From the command's start to its end. */
  commandSeconds: number;
  usage: Usage;
  postgresSeconds: number;
}

export const loading: Row = {
  name: 'load',
  title: `loading ${grouped(records)} polygons`,
  measure: async (bench) => {
    const paths = { geoJson: join(bench.dataDir, 'county.geojson'), sequence: join(bench.dataDir, 'county.ndjson') };
    const shapefile = join(bench.dataDir, 'county.shp');
    await writeCountyFile(paths.geoJson, records);
    await writeCountyFile(paths.sequence, records, false);
    await writeShapefile(shapefile, paths.geoJson);
    const foreignUrl = await prepareForeignLoads(bench);
    const figures = [
      ...(await besideCopy(bench, 'GeoJSON', paths.geoJson)),
      ...(await besideCopy(bench, 'Shapefile', shapefile)),
      ...(await besideForeign(bench, 'Shapefile', shapefile, shp2pgsql, foreignUrl)),
      ...(await besideForeign(bench, 'NDJSON', paths.sequence, ogr2ogr, foreignUrl)),
    ];
    await writeCountyFile(paths.geoJson, manyRecords);
    const { usage } = await loadCounty(bench, paths.geoJson);
    const name = `peak memory, ${grouped(manyRecords)} polygons of GeoJSON`;
    return [...figures, { name, value: usage.peakMemoryMb, unit: 'MB', aim: { atMost: 150 } }];
  },
};

/** Our load in turns with a COPY of the very rows that it makes. */
async function besideCopy(bench: Bench, format: string, file: string): Promise<Figure[]> {
  const { pool } = bench.database;
  const rows = join(bench.dataDir, 'rows.copy');
  const first = await loadCounty(bench, file);
  await saveRows(pool, first.releaseId, rows);
  await pool.query('create table bare_copy (like parcel including all)');
  const [loads, copies] = await inTurns(
    () => loadCounty(bench, file),
    () => copyRows(bench, rows),
  );
  await pool.query('drop table bare_copy');
  const rates = loads.map(({ seconds }) => records / seconds);
  const copyRates = copies.map(({ seconds }) => records / seconds);
  return [
    { name: `${format}: rows loaded`, value: median(rates), unit: '/s' },
    { name: `${format}: CPU of the command a row`, value: microseconds(loads.map(({ usage }) => usage.cpuSeconds)), unit: 'µs' },
    { name: `${format}: CPU of Postgres a row`, value: microseconds(loads.map((load) => load.postgresSeconds)), unit: 'µs' },
    { name: 'rows of a bare COPY of the same', value: median(copyRates), unit: '/s' },
    { name: 'CPU of Postgres a row of it', value: microseconds(copies.map((copy) => copy.postgresSeconds)), unit: 'µs' },
    { name: `${format}: rate against it`, value: ratio(rates, copyRates), unit: '×', aim: { atLeast: 0.7 } },
  ];
}

/** Our command, from its start to its end, in turns with a program that loads the same file as it is. */
async function besideForeign(bench: Bench, format: string, file: string, loader: ForeignLoader, url: string): Promise<Figure[]> {
  const aim = { atLeast: 1 };
  if (loader.version === null) return [{ name: `${format}: rate against ${loader.name} (not installed)`, value: null, unit: '×', aim }];
  const [loads, theirs] = await inTurns(
    () => loadCounty(bench, file),
    () => loader.load(file, url),
  );
  const rates = loads.map(({ commandSeconds }) => records / commandSeconds);
  const theirRates = theirs.map((seconds) => records / seconds);
  return [
    { name: `${format}: rows loaded, the command's start and end included`, value: median(rates), unit: '/s' },
    { name: `rows of ${loader.name} ${loader.version}`, value: median(theirRates), unit: '/s' },
    { name: `${format}: rate against it`, value: ratio(rates, theirRates), unit: '×', aim },
  ];
}

const microseconds = (secondsOfAll: number[]): number => (median(secondsOfAll) * 1e6) / records;

async function loadCounty({ dataDir, postgresPid }: Bench, file: string): Promise<Load> {
  const startedAt = performance.now();
  const before = cpuSeconds(postgresPid);
  const { stdout, usage } = await runCommand(['--json', 'load', '--county', benchCounty, file], { DATA_DIR: dataDir });
  const commandSeconds = (performance.now() - startedAt) / 1000;
  const { release_id: releaseId, seconds } = JSON.parse(stdout) as { release_id: number; seconds: number };
  return { releaseId, seconds, commandSeconds, usage, postgresSeconds: cpuSeconds(postgresPid) - before };
}

async function saveRows(pool: Pool, releaseId: number, path: string): Promise<void> {
  const client = await pool.connect();
  const query = `copy (select release_id, ordinal, apn, record from parcel where release_id = ${releaseId} order by ordinal) to stdout`;
  await pipeline(client.query(copyTo(query)), createWriteStream(path));
  client.release();
}

/** As fast as Postgres takes them: text that needs no thinking, into a table with the same key. */
async function copyRows({ database: { pool }, postgresPid }: Bench, path: string): Promise<{ seconds: number; postgresSeconds: number }> {
  await pool.query('truncate bare_copy');
  const before = cpuSeconds(postgresPid);
  const startedAt = performance.now();
  const client = await pool.connect();
  await pipeline(createReadStream(path, { highWaterMark: 256 * 1024 }), client.query(copyFrom('copy bare_copy from stdin')));
  client.release();
  return { seconds: (performance.now() - startedAt) / 1000, postgresSeconds: cpuSeconds(postgresPid) - before };
}
