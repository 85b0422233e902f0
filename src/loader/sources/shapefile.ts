import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { readDbf } from './dbf.js';
import { type ReadShape, readShapes } from './shp.js';
import {
  brokenRow,
  type Properties,
  type ReadPosition,
  row,
  rowsPerBatch,
  type Source,
  type SourceBatch,
  type SourceRow,
} from './source.js';

/** A `.shp` with what lies beside it: attributes in the `.dbf`, coordinate system in the `.prj`, text encoding in the `.cpg`. */
export async function openShapefile(path: string): Promise<Source> {
  const dbf = await sibling(path, '.dbf');
  const prj = await sibling(path, '.prj');
  const encoding = await claimedEncoding(path);
  const files = [path, ...[dbf, prj].filter((file) => file !== null)];
  return {
    format: 'Shapefile',
    name: basename(path),
    files,
    byteLength: (await stat(path)).size + (dbf ? (await stat(dbf)).size : 0),
    crs: prj ? (await readFile(prj, 'latin1')).trim() || null : null,
    warnings: dbf ? [] : ['There is no .dbf beside the .shp: shapes without attributes.'],
    read: (position) => readPairs(path, dbf, encoding, position),
    close: async () => {},
  };
}

/** A dBASE table by itself, as tax rolls come. */
export async function openDbfTable(path: string): Promise<Source> {
  const encoding = await claimedEncoding(path);
  return {
    format: 'dBASE table',
    name: basename(path),
    files: [path],
    byteLength: (await stat(path)).size,
    crs: null,
    warnings: [],
    read: (position) => readTable(path, encoding, position),
    close: async () => {},
  };
}

/** The file of the same name with another extension, whatever the case of either. */
export async function sibling(path: string, extension: string): Promise<string | null> {
  const wanted = (basename(path, extname(path)) + extension).toLowerCase();
  const found = (await readdir(dirname(path))).find((name) => name.toLowerCase() === wanted);
  return found ? join(dirname(path), found) : null;
}

async function claimedEncoding(path: string): Promise<string | undefined> {
  const cpg = await sibling(path, '.cpg');
  if (!cpg) return undefined;
  const label = (await readFile(cpg, 'latin1')).trim();
  return /^\d+$/.test(label) ? (label === '65001' ? 'utf8' : `cp${label}`) : label || undefined;
}

// Shapes and attributes are two files read side by side; a row that only one of them has is kept, with the other part unknown.
async function* readPairs(
  shp: string,
  dbf: string | null,
  encoding: string | undefined,
  position: ReadPosition,
): AsyncIterable<SourceBatch> {
  const shapes = flatten<ReadShape>(readShapes(shp, position));
  const attributes = dbf ? flatten<Properties | null>(readDbf(dbf, position, encoding)) : null;
  try {
    for (let number = 0; ; ) {
      const rows: SourceRow[] = [];
      let isAtEnd = false;
      while (rows.length < rowsPerBatch) {
        const geometry = await shapes.next();
        const properties = attributes ? await attributes.next() : undefined;
        if (geometry === undefined && properties === undefined) {
          isAtEnd = true;
          break;
        }
        number++;
        if (properties === null) continue;
        if (geometry instanceof Error)
          rows.push(brokenRow(number, `The shape is damaged: ${geometry.message}`, JSON.stringify(properties ?? {})));
        else rows.push(row(number, properties ?? {}, geometry ?? null));
      }
      if (rows.length > 0) yield rows;
      if (isAtEnd) return;
    }
  } finally {
    await shapes.return();
    await attributes?.return();
  }
}

async function* readTable(path: string, encoding: string | undefined, position: ReadPosition): AsyncIterable<SourceBatch> {
  let number = 0;
  const numbered = function* (batch: Iterable<Properties | null>) {
    for (const properties of batch) {
      number++;
      if (properties) yield row(number, properties, null);
    }
  };
  for await (const batch of readDbf(path, position, encoding)) yield numbered(batch);
}

/** Takes items one by one from batches; undefined at the end. Awaits only when a batch is used up. */
function flatten<Item>(batches: AsyncIterable<Iterable<Item>>) {
  const iterator = batches[Symbol.asyncIterator]();
  let batch: Iterator<Item> = [][Symbol.iterator]();
  const refill = async (): Promise<Item | undefined> => {
    for (;;) {
      const next = await iterator.next();
      if (next.done) return undefined;
      batch = next.value[Symbol.iterator]();
      const first = batch.next();
      if (!first.done) return first.value;
    }
  };
  return {
    next: (): Item | undefined | Promise<Item | undefined> => {
      const item = batch.next();
      return item.done ? refill() : item.value;
    },
    return: async () => {
      await iterator.return?.();
    },
  };
}
