import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';

/** Offsets and lengths of the shapes in a `.shp`, in two-byte words as in the file: 8 bytes per shape. */
export interface ShapeOffsets {
  starts: Uint32Array;
  lengths: Uint32Array;
}

export interface ShapeIndex {
  /** How many shapes there are; null without a valid index. */
  count: number | null;
  /** Null if shapes can be read in file order. */
  offsets: ShapeOffsets | null;
  warnings: string[];
}

export const noIndex: ShapeIndex = { count: null, offsets: null, warnings: [] };

const headerWords = 50;
/** A shape's header: its number and its length. */
const shapeHeaderWords = 4;

/**
 * Reads and verifies the `.shx` of a `.shp`. Programs that edit in place move a grown shape to the end and leave deleted ones in the file;
 * then only the index knows which shape belongs to which row.
 * @param rowCount how many rows the `.dbf` has, if there is one
 */
export async function readIndex(shx: string, shp: string, rowCount: number | undefined): Promise<ShapeIndex> {
  await using file = await open(shp);
  const words = Math.floor((await file.stat()).size / 2);
  const count = (await stat(shx)).size / 8 - headerWords / 4;
  if (!Number.isInteger(count) || count < 0 || count > words / shapeHeaderWords || count !== (rowCount ?? count)) {
    return damaged(shx, `it does not have as many shapes as the ${rowCount === undefined ? '.shp' : '.dbf has rows'}`);
  }
  const stated = statedOffsets(await readFile(shx), count);
  if (areSequential(stated, words)) return { count, offsets: null, warnings: [] };
  const offsets = await verifiedOffsets(file, stated.starts, words);
  if (typeof offsets === 'string') return damaged(shx, offsets);
  if (areSequential(offsets, words)) return { count, offsets: null, warnings: [] };
  return {
    count,
    offsets,
    warnings: [`${basename(shx)} lists the shapes in a different order than the .shp, and its order is used.`],
  };
}

const damaged = (shx: string, why: string): ShapeIndex => ({
  ...noIndex,
  warnings: [
    `${basename(shx)} is damaged (${why}), so the shapes are read in the order of the .shp: ` +
      'if they do not belong to their rows, export the Shapefile again.',
  ],
});

function statedOffsets(index: Buffer, count: number): ShapeOffsets {
  const starts = new Uint32Array(count);
  const lengths = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    starts[i] = index.readUInt32BE(headerWords * 2 + i * 8);
    lengths[i] = index.readUInt32BE(headerWords * 2 + i * 8 + 4);
  }
  return { starts, lengths };
}

/** Whether each shape starts where the one before ends. */
function areSequential({ starts, lengths }: ShapeOffsets, words: number): boolean {
  let next = headerWords;
  for (let i = 0; i < starts.length; i++) {
    if (starts[i] !== next) return false;
    next += shapeHeaderWords + lengths[i]!;
  }
  return next <= words;
}

/** The offsets with the lengths that the shapes themselves state, or the reason why the offsets are wrong. */
async function verifiedOffsets(shp: FileHandle, starts: Uint32Array, words: number): Promise<ShapeOffsets | string> {
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
  const overlapping = inOrder.findIndex(
    (i, at) => at > 0 && starts[inOrder[at - 1]!]! + shapeHeaderWords + lengths[inOrder[at - 1]!]! > starts[i]!,
  );
  return overlapping < 0 ? { starts, lengths } : `shape ${inOrder[overlapping]! + 1} is within another one`;
}
