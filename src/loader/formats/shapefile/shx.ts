import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';

/** Where shapes are in a `.shp` that does not have them in order. Both are in words of two bytes, as in the file: 8 bytes a shape. */
export interface ShapePlaces {
  starts: Uint32Array;
  lengths: Uint32Array;
}

export interface ShapeIndex {
  /** How many shapes there are; null: there is no index that can be believed. */
  count: number | null;
  /** Null: shapes are read as they stand. */
  places: ShapePlaces | null;
  warnings: string[];
}

export const noIndex: ShapeIndex = { count: null, places: null, warnings: [] };

const headerWords = 50;
/** Of a shape: its number and its length. */
const shapeHeaderWords = 4;

/**
 * What the `.shx` beside a `.shp` says. Programs that edit in place put a shape that grew behind all others, and leave what is deleted:
 * then only the index knows which shape belongs to which row.
 * @param rowCount of the table beside them, if there is one
 */
export async function readIndex(shx: string, shp: string, rowCount: number | undefined): Promise<ShapeIndex> {
  const file = await open(shp);
  try {
    const words = Math.floor((await file.stat()).size / 2);
    const count = (await stat(shx)).size / 8 - headerWords / 4;
    if (!Number.isInteger(count) || count < 0 || count > words / shapeHeaderWords || count !== (rowCount ?? count)) {
      return damaged(shx, `it has not as many shapes as the ${rowCount === undefined ? '.shp' : '.dbf has rows'}`);
    }
    const stated = statedPlaces(await readFile(shx), count);
    if (standInOrder(stated, words)) return { count, places: null, warnings: [] };
    const places = await foundPlaces(file, stated.starts, words);
    if (typeof places === 'string') return damaged(shx, places);
    if (standInOrder(places, words)) return { count, places: null, warnings: [] };
    return { count, places, warnings: [`${basename(shx)} has the shapes in another order than they stand in: they are read by it.`] };
  } finally {
    await file.close();
  }
}

const damaged = (shx: string, why: string): ShapeIndex => ({
  ...noIndex,
  warnings: [
    `${basename(shx)} is damaged (${why}), so the shapes are read as they stand in the .shp: ` +
      'if they do not belong to their rows, export the Shapefile anew.',
  ],
});

function statedPlaces(index: Buffer, count: number): ShapePlaces {
  const starts = new Uint32Array(count);
  const lengths = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    starts[i] = index.readUInt32BE(headerWords * 2 + i * 8);
    lengths[i] = index.readUInt32BE(headerWords * 2 + i * 8 + 4);
  }
  return { starts, lengths };
}

/** Whether each shape begins where the one before ends. */
function standInOrder({ starts, lengths }: ShapePlaces, words: number): boolean {
  let next = headerWords;
  for (let i = 0; i < starts.length; i++) {
    if (starts[i] !== next) return false;
    next += shapeHeaderWords + lengths[i]!;
  }
  return next <= words;
}

/** The places with the lengths that the shapes themselves state; or why there can't be shapes at these places. */
async function foundPlaces(shp: FileHandle, starts: Uint32Array, words: number): Promise<ShapePlaces | string> {
  const lengths = new Uint32Array(starts.length);
  const header = Buffer.alloc(shapeHeaderWords * 2);
  for (let i = 0; i < starts.length; i++) {
    const start = starts[i]!;
    const { bytesRead } = await shp.read(header, 0, header.length, start * 2);
    const length = bytesRead < header.length ? 0 : header.readUInt32BE(4);
    const isShape = start >= headerWords && length >= 2 && start + shapeHeaderWords + length <= words;
    if (!isShape) return `there is no shape ${i + 1} at byte ${start * 2}`;
    lengths[i] = length;
  }
  const inOrder = Uint32Array.from(starts.keys()).sort((a, b) => starts[a]! - starts[b]!);
  const meeting = inOrder.findIndex(
    (i, at) => at > 0 && starts[inOrder[at - 1]!]! + shapeHeaderWords + lengths[inOrder[at - 1]!]! > starts[i]!,
  );
  return meeting < 0 ? { starts, lengths } : `shape ${inOrder[meeting]! + 1} is within another one`;
}
