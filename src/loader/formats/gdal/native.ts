import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AppError } from '../../../core/errors.js';
import { type Layer, pickLayer } from '../layers.js';
import {
  type Conversion,
  type ConversionRequest,
  conversionLimitMs,
  conversionOptions,
  convertedName,
  errorsIn,
  withoutPaths,
} from './conversion.js';

const run = promisify(execFile);

const maxOutputBytes = 16 * 1024 ** 2;

/** `-resolveDomains` came with this version. */
const minVersion = [3, 3];

/** The `ogr2ogr` on the PATH, such as `GDAL 3.6.2`; null if there is none, or an old one. */
export async function nativeVersion(): Promise<string | null> {
  const answer = await run('ogr2ogr', ['--version']).catch(() => null);
  const [, text, major, minor] = /^(GDAL (\d+)\.(\d+)[^,\s]*)/.exec(answer?.stdout ?? '') ?? [];
  const isRecent = Number(major) > minVersion[0]! || (Number(major) === minVersion[0] && Number(minor) >= minVersion[1]!);
  return isRecent ? text! : null;
}

/** Converts a layer by the programs on the PATH. @throws AppError if they can't read it */
export async function convertNatively(request: ConversionRequest, version: string, limitMs = conversionLimitMs): Promise<Conversion> {
  const { name, choice, folder } = request;
  const input = await pathForGdal(request);
  const gdal = (program: string, options: string[]) => runGdal(name, program, options, limitMs);
  const layers = layersIn((await gdal('ogrinfo', ['-ro', '-q', input])).stdout);
  const { name: layer } = pickLayer(name, layers, choice);
  const { stdout } = await gdal('ogrinfo', ['-ro', '-so', input, layer]);
  const { stderr } = await gdal('ogr2ogr', [...conversionOptions, join(folder, `${convertedName}.gpkg`), input, layer]);
  const rowCount = Number(/^Feature Count: (\d+)/m.exec(stdout)?.[1] ?? 0);
  return { reader: `ogr2ogr (${version})`, layer, rowCount, errors: errorsIn(stderr.split('\n')) };
}

/** GDAL recognises a file geodatabase only by the `.gdb` ending of its folder. */
async function pathForGdal({ path, isGeodatabase, folder }: ConversionRequest): Promise<string> {
  if (!isGeodatabase || /\.gdb$/i.test(path)) return path;
  const link = join(folder, 'input.gdb');
  await symlink(path, link);
  return link;
}

/** Parses lines such as `1: Parcels (Multi Polygon)`; tables without shapes say `(None)`. */
function layersIn(output: string): Layer[] {
  return [...output.matchAll(/^(?:\d+|Layer): (.*?)(?: \(([^()]*)\))?$/gm)].map(([, layer, type]) => ({
    name: layer!,
    isSpatial: type !== undefined && type !== 'None',
  }));
}

async function runGdal(name: string, program: string, options: string[], limitMs: number): Promise<{ stdout: string; stderr: string }> {
  try {
    return await run(program, options, { maxBuffer: maxOutputBytes, timeout: limitMs, killSignal: 'SIGKILL' });
  } catch (cause) {
    const { stderr = '', message, killed } = cause as Error & { stderr?: string; killed?: boolean };
    if (killed)
      throw new AppError('invalid_request', `${name} can't be read by ${program}: it took longer than ${limitMs / 60_000} minutes.`);
    const reason = errorsIn(stderr.split('\n'))[0] ?? (stderr.trim().split('\n').at(-1) || message);
    throw new AppError('invalid_request', `${name} can't be read by ${program}: ${withoutPaths(reason)}`, { cause });
  }
}
