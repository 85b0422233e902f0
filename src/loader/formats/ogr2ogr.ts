import { execFile } from 'node:child_process';
import { readdir, stat, symlink } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { AppError } from '../../core/errors.js';
import { refuseWithoutRoom, temporaryFolder } from './archives/temporary-folder.js';
import { openGeoPackage } from './geodatabases/geopackage.js';
import { type Layer, type LayerWish, pickLayer } from './layers.js';
import type { Source, SourceFormat } from './source.js';

const run = promisify(execFile);

// Of a geodatabase, a GeoPackage takes up to three times the bytes.
const maxGrowth = 3;
const maxOutputBytes = 16 * 1024 ** 2;

/**
 * Reads what GDAL's `ogr2ogr` reads, by way of a temporary GeoPackage that it writes.
 * @throws AppError saying what to install where there is no ogr2ogr
 */
export async function openByOgr2ogr(path: string, format: SourceFormat, wish: LayerWish): Promise<Source> {
  const name = basename(path);
  const version = await versionOf(name, format);
  const files = (await stat(path)).isDirectory() ? (await readdir(path)).sort().map((file) => join(path, file)) : [path];
  let bytes = 0;
  for (const file of files) bytes += (await stat(file)).size;
  await refuseWithoutRoom(name, bytes * maxGrowth);
  const folder = await temporaryFolder();
  try {
    const input = await recognisable(path, format, folder.path);
    const output = await gdal(name, 'ogrinfo', ['-ro', '-q', input]);
    const layer = pickLayer(name, layersIn(output), wish).name;
    const converted = join(folder.path, 'converted.gpkg');
    const plainTable = ['-f', 'GPKG', '-nlt', 'CONVERT_TO_LINEAR', '-lco', 'SPATIAL_INDEX=NO', '-nln', 'layer'];
    await gdal(name, 'ogr2ogr', [...plainTable, converted, input, layer]);
    const source = await openGeoPackage(converted, { prefersTable: wish.prefersTable });
    const close = async () => {
      await source.close();
      await folder.remove();
    };
    return { ...source, format, name, files, close, warnings: [`Read by ${version} by way of a temporary GeoPackage: layer ${layer}.`] };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

async function versionOf(name: string, format: SourceFormat): Promise<string> {
  try {
    const { stdout } = await run('ogr2ogr', ['--version']);
    return `ogr2ogr (${stdout.split(',')[0]})`;
  } catch (cause) {
    throw new AppError(
      'invalid_request',
      `${name} is a ${format}, which is read by GDAL's ogr2ogr: install it (apt install gdal-bin, brew install gdal), or export the layer as GeoPackage.`,
      { cause },
    );
  }
}

/** GDAL knows a geodatabase by the name of its folder. */
async function recognisable(path: string, format: SourceFormat, folder: string): Promise<string> {
  if (format !== 'File geodatabase' || /\.gdb$/i.test(path)) return resolve(path);
  const link = join(folder, 'input.gdb');
  await symlink(resolve(path), link);
  return link;
}

/** Lines such as `1: Parcels (Multi Polygon)`; tables without shapes say `(None)`. */
function layersIn(output: string): Layer[] {
  return [...output.matchAll(/^(?:\d+|Layer): (.*?)(?: \(([^()]*)\))?$/gm)].map(([, layer, type]) => ({
    name: layer!,
    isSpatial: type !== undefined && type !== 'None',
  }));
}

async function gdal(name: string, program: string, options: string[]): Promise<string> {
  try {
    const { stdout } = await run(program, options, { maxBuffer: maxOutputBytes });
    return stdout;
  } catch (cause) {
    const { stderr = '', message } = cause as Error & { stderr?: string };
    const reason = stderr.trim().split('\n').at(-1) || message;
    throw new AppError('invalid_request', `${name} can't be read by ${program}: ${reason}`, { cause });
  }
}
