import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from '../../../core/errors.js';
import { pickLayer } from '../layers.js';
import { type Answer, type Conversion, type ConversionRequest, convertedName, convertedTable } from './conversion.js';

const maxErrors = 100;

/** The used part of gdal3.js, whose own types don't know its `Module`. */
interface Gdal {
  open(path: string): Promise<{ datasets: Dataset[] }>;
  ogr2ogr(dataset: Dataset, options: string[], outputName: string): Promise<unknown>;
  Module: { FS: { mkdir(path: string): void; mount(type: unknown, options: { root: string }, path: string): void }; NODEFS: unknown };
}

interface Dataset {
  info?: { layers?: { name: string; featureCount: number; geometryFields: unknown[] }[] };
}

interface GdalConfig {
  path: string;
  useWorker: boolean;
  dest: string;
  logHandler(line: string): void;
  errorHandler(line: string): void;
}

const require = createRequire(import.meta.url);
const gdalPackage = dirname(require.resolve('gdal3.js/package.json'));
const version = `gdal3.js ${require('gdal3.js/package.json').version}`;

const request = workerData as ConversionRequest;
const lines: string[] = [];

// Arcs become lines; a column of codes gets a column of their words.
const options = ['-f', 'GPKG', '-nlt', 'CONVERT_TO_LINEAR', '-lco', 'SPATIAL_INDEX=NO', '-resolveDomains', '-nln', convertedTable];

async function convert({ path, name, isGeodatabase, choice, folder }: ConversionRequest): Promise<Conversion> {
  const initialize = require('gdal3.js/node.js') as (config: GdalConfig) => Promise<Gdal>;
  const gdal = await initialize({
    path: relative(process.cwd(), join(gdalPackage, 'dist/package')), // it puts `./` before the path
    useWorker: false,
    dest: folder,
    logHandler: () => {},
    errorHandler: (line) => lines.length < maxErrors && lines.push(line),
  });
  // GDAL recognises a file geodatabase only by the `.gdb` ending of its folder.
  const input = isGeodatabase ? '/input/source.gdb' : '/input/source';
  const { FS, NODEFS } = gdal.Module;
  FS.mkdir(input);
  FS.mount(NODEFS, { root: isGeodatabase ? path : dirname(path) }, input);
  const { datasets } = await gdal.open(isGeodatabase ? input : `${input}/${basename(path)}`);
  const dataset = datasets[0]!;
  const layers = (dataset.info?.layers ?? []).map((layer) => ({ ...layer, isSpatial: layer.geometryFields.length > 0 }));
  const { name: layer, featureCount } = pickLayer(name, layers, choice);
  await gdal.ogr2ogr(dataset, [...options, layer], convertedName);
  return { reader: version, layer, rowCount: featureCount, errors: errors() };
}

/** The errors among what GDAL wrote to standard error. */
const errors = (): string[] => lines.flatMap((line) => /^ERROR \d+: (.*)/.exec(line)?.[1] ?? []).map(withoutPaths);

/** Texts of GDAL and of the system name files of this server, and of the machine that compiled it. */
const withoutPaths = (text: string): string => text.replace(/\/\S*\//g, '');

function answerOf(error: unknown): Answer {
  if (error instanceof AppError) return { fault: error.message, code: error.code };
  // gdal3.js rejects with what GDAL said last, or a list of it; what it said first is the cause.
  const last = [error].flat()[0] as { message?: string } | undefined;
  const reason = errors()[0] ?? last?.message ?? 'it is damaged, or of another format';
  return { fault: `${request.name} can't be read by GDAL (${version}): ${withoutPaths(reason)}`, code: 'invalid_request' };
}

// V8's second compiler takes 70 MB, and more time than its code saves in 100,000 rows. The flag is that of the whole process.
setFlagsFromString('--liftoff-only');
const answer = await convert(request).then((conversion): Answer => ({ conversion }), answerOf);
setFlagsFromString('--no-liftoff-only');
parentPort!.postMessage(answer);
