import { once } from 'node:events';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError, refusal } from '../../../core/errors.js';
import { projectFile } from '../../../core/project-files.js';
import { requireFreeSpace, temporaryFolder } from '../archives/temporary-folder.js';
import type { LayerChoice } from '../layers.js';
import { openWithin, type Source, type SourceFormat } from '../source.js';
import { brokenRow, rowsPerBatch, type SourceBatch, type SourceRow } from '../source-row.js';
import { type Answer, type Conversion, type ConversionRequest, convertedName } from './conversion.js';

// A GeoPackage is up to three times as large as the geodatabase it was converted from.
const maxGrowth = 3;

// The compiled file, even in tests that run from source: a worker thread has only Node's own loader.
const gdalThread = projectFile('dist/src/loader/formats/gdal/thread.js');

/** A file that is made to do harm may keep GDAL at work for ever. A million polygons take it three minutes. */
const conversionLimitMs = 2 * 60 * 60_000;

/** Converts the file to a temporary GeoPackage with GDAL, and reads that. */
export async function openByGdal(path: string, format: SourceFormat, choice: LayerChoice): Promise<Source> {
  const name = basename(path);
  const files = (await stat(path)).isDirectory() ? (await readdir(path)).sort().map((file) => join(path, file)) : [path];
  let bytes = 0;
  for (const file of files) bytes += (await stat(file)).size;
  await requireFreeSpace(name, bytes * maxGrowth);
  const folder = await temporaryFolder();
  return openWithin(folder, async () => {
    const isGeodatabase = format === 'File geodatabase';
    const request: ConversionRequest = { path: await realpath(path), name, isGeodatabase, choice, folder: folder.path };
    const { reader, layer, rowCount, errors } = await convertInThread(request);
    // Loaded only now: SQLite's memory comes after GDAL's, not beside it.
    const { finishConverted, openGeoPackage } = await import('../geopackage.js');
    const converted = join(folder.path, `${convertedName}.gpkg`);
    const lost = Math.max(0, rowCount - finishConverted(converted));
    const source = await openGeoPackage(converted, { prefersTable: choice.prefersTable });
    const fault = `GDAL can't read it: ${errors[0] ?? 'it gave no reason'}`;
    const isDamaged = errors.length > 0 || lost > 0;
    return {
      ...source,
      format,
      name,
      files,
      read: (position) => (isDamaged ? withBrokenRows(source.read(position), lost, fault) : source.read(position)),
      warnings: [
        `Read by ${reader} by way of a temporary GeoPackage: layer ${layer}.`,
        ...(isDamaged
          ? [`${name} is damaged. What GDAL said first: ${errors[0] ?? `it gave ${rowCount - lost} of ${rowCount} rows`}.`]
          : []),
      ],
    };
  });
}

/**
 * Converts a layer by GDAL in WebAssembly, in a thread of its own: GDAL blocks its thread, sets global variables, and gives its memory back
 * only when the thread ends.
 * @throws AppError if GDAL can't read the file
 */
export async function convertInThread(request: ConversionRequest, script = gdalThread, limitMs = conversionLimitMs): Promise<Conversion> {
  const worker = new Worker(script, { workerData: request, execArgv: [] });
  const limit = setTimeout(() => void worker.terminate(), limitMs);
  try {
    const [answer] = (await Promise.race([once(worker, 'message'), endOf(worker, request)])) as [Answer];
    if ('conversion' in answer) return answer.conversion;
    throw new AppError(answer.code, answer.fault);
  } finally {
    clearTimeout(limit);
    await worker.terminate();
  }
}

/** GDAL may end its thread without an answer, as when it runs out of memory. */
async function endOf(worker: Worker, { name }: ConversionRequest): Promise<never> {
  await once(worker, 'exit');
  throw refusal(`${name} can't be read by GDAL: it ended without an answer, or took too long.`);
}

/** GDAL gives a row that it can't read without any value, or not at all. It does not say which rows those were, so they come last. */
async function* withBrokenRows(batches: AsyncIterable<SourceBatch>, lost: number, fault: string): AsyncIterable<SourceBatch> {
  let number = 0;
  for await (const batch of batches) {
    const rows: SourceRow[] = [];
    for (const row of batch) {
      number = row.number;
      rows.push(isEmpty(row) ? brokenRow(number, fault, '') : row);
    }
    yield rows;
  }
  for (let start = 0; start < lost; start += rowsPerBatch)
    yield Array.from({ length: Math.min(rowsPerBatch, lost - start) }, () => brokenRow(++number, fault, ''));
}

function isEmpty({ fault, geometry, properties }: SourceRow): boolean {
  return fault === null && geometry === null && Object.values(properties).every((value) => value === null);
}
