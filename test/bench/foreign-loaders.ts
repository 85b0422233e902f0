import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { versionOf } from '../harness/process.js';
import type { Bench } from './bench.js';

/** A program that copies a file into a table as it is: no other coordinate system, no cleaning, no checks, no records. */
export interface ForeignLoader {
  name: string;
  /** null where it is not on the PATH */
  version: string | null;
  /** @returns the seconds that it took */
  load(file: string, url: string): Promise<number>;
}

export const shp2pgsql: ForeignLoader = {
  name: 'shp2pgsql into psql',
  version: versionOf('shp2pgsql', /RELEASE: (\S+)/, []),
  load: (file, url) =>
    timed(
      'shp2pgsql -d -D -s 4326 "$0" lots 2>/dev/null | PGOPTIONS="-c client_min_messages=warning" psql -q -v ON_ERROR_STOP=1 "$1" > /dev/null',
      file,
      url,
    ),
};

export const ogr2ogr: ForeignLoader = {
  name: 'ogr2ogr',
  version: versionOf('ogr2ogr', /GDAL ([\d.]+)/),
  load: (file, url) => timed('ogr2ogr -f PostgreSQL "$1" "$0" -nln lots_of_ogr -overwrite', file, connectionString(url)),
};

/** A database of their own. Where PostGIS would be, geometries are kept as the text or the bytes that the programs write. */
export const prepareForeignLoads = (bench: Bench): Promise<string> =>
  bench.createBeside('foreign_loads', [
    'create domain geometry as text',
    `create function addgeometrycolumn(s text, t text, c text, srid text, type text, dimensions integer) returns void language plpgsql
     as $$ begin execute format('alter table %I add column %I geometry', t, c); end $$`,
    'create function dropgeometrycolumn(s text, t text, c text) returns void language sql as $$ $$',
  ]);

async function timed(script: string, ...args: string[]): Promise<number> {
  const startedAt = performance.now();
  const child = spawn('sh', ['-c', script, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${script} ended with ${code}`);
  return (performance.now() - startedAt) / 1000;
}

/** GDAL takes libpq's own form only. */
function connectionString(url: string): string {
  const { hostname, port, username, password, pathname } = new URL(url);
  return `PG:host=${hostname} port=${port} user=${username} password=${password} dbname=${pathname.slice(1)}`;
}
