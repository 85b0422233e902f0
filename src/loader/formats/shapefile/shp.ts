import { type FileHandle, open } from 'node:fs/promises';
import { refusal } from '../../../core/errors.js';
import { assemblePolygons } from '../shapes/assemble-polygons.js';
import type { FlatRing, ReadPosition, SourceGeometry } from '../source-row.js';
import type { ShapeOffsets } from './shx.js';

const headerBytes = 100;
// Small, because the table rows of all shapes in a window are read with them.
const windowBytes = 32 * 1024;
const maxShapes = 256;

/** Bytes of a `.shp` file. The next window overwrites them. */
export interface ShapeWindow {
  bytes: Buffer;
  /** Where the shapes start in them. */
  starts: number[];
}

/** The shapes of a `.shp` in file order. Heights and measures (types …Z and …M) follow the points and are not read. */
export async function* readShapes(path: string, position: ReadPosition): AsyncIterable<ShapeWindow> {
  await using file = await open(path);
  const { size } = await file.stat();
  const promised = (await readHeader(file)) ?? size;
  if (promised > size) throw refusal(`The file is cut: its header promises ${promised} bytes, it has ${size}.`);
  let offset = headerBytes;
  const window = Buffer.allocUnsafeSlow(windowBytes);
  while (offset + 8 <= promised) {
    let bytes = await readWindow(file, offset, window);
    let start = 0;
    const starts: number[] = [];
    while (starts.length < maxShapes && start + 8 <= bytes.length && offset + start + 8 <= promised) {
      const length = bytes.readInt32BE(start + 4) * 2;
      if (length < 4 || offset + start + 8 + length > size)
        throw refusal(`The file is cut or damaged at byte ${offset + start} of ${size}.`);
      if (start + 8 + length > bytes.length) {
        if (start > 0) break;
        bytes = await readWindow(file, offset, Buffer.allocUnsafe(8 + length));
      }
      starts.push(start + 8);
      start += 8 + length;
    }
    offset += start;
    position.bytesRead += start;
    yield { bytes, starts };
  }
}

/** The shapes of a `.shp` in the order of its index. */
export async function* readShapesAt(path: string, { starts, lengths }: ShapeOffsets, position: ReadPosition): AsyncIterable<ShapeWindow> {
  await using file = await open(path);
  const window = Buffer.allocUnsafeSlow(windowBytes);
  for (let next = 0; next < starts.length; ) {
    const first = lengths[next]! * 2;
    const bytes = first > window.length ? Buffer.allocUnsafe(first) : window;
    const found: number[] = [];
    let end = 0;
    while (next < starts.length && found.length < maxShapes && end + lengths[next]! * 2 <= bytes.length) {
      const length = lengths[next]! * 2;
      const { bytesRead } = await file.read(bytes, end, length, starts[next]! * 2 + 8);
      if (bytesRead < length) throw refusal(`${path} was cut while it was read.`);
      found.push(end);
      end += length;
      next++;
    }
    position.bytesRead += end + found.length * 8;
    yield { bytes: bytes.subarray(0, end), starts: found };
  }
}

async function readHeader(file: FileHandle): Promise<number | null> {
  const header = await readWindow(file, 0, Buffer.allocUnsafe(headerBytes));
  // Some streaming writers leave the length at 0.
  return header.length === headerBytes && header.readInt32BE(24) > 0 ? header.readInt32BE(24) * 2 : null;
}

async function readWindow(file: FileHandle, offset: number, into: Buffer): Promise<Buffer> {
  const { bytesRead } = await file.read(into, 0, into.length, offset);
  return into.subarray(0, bytesRead);
}

const polygonTypes = new Set([5, 15, 25]);
const pointTypes = new Set([1, 11, 21]);
const lineTypes = new Set([3, 13, 23]);
const multiPointTypes = new Set([8, 18, 28]);
const multiPatch = 31;

/** @throws Error for a shape that can't be read; later shapes are not affected */
export function shapeAt(bytes: Buffer, start: number): SourceGeometry | null {
  const type = bytes.readInt32LE(start);
  if (pointTypes.has(type)) return { type: 'Point', coordinates: [bytes.readDoubleLE(start + 4), bytes.readDoubleLE(start + 12)] };
  if (type === multiPatch) throw new Error('it is a MultiPatch (patches in space): convert it to a polygon');
  const corner = () => [bytes.readDoubleLE(start + 4), bytes.readDoubleLE(start + 12)];
  // A line becomes no record's shape: that it is one is enough.
  if (lineTypes.has(type)) return { type: 'MultiLineString', coordinates: [[corner()]] };
  if (multiPointTypes.has(type)) return { type: 'Point', coordinates: [bytes.readDoubleLE(start + 40), bytes.readDoubleLE(start + 48)] };
  if (!polygonTypes.has(type)) return null;
  const partCount = bytes.readInt32LE(start + 36);
  const pointCount = bytes.readInt32LE(start + 40);
  const points = new DataView(bytes.buffer, bytes.byteOffset + start + 44 + partCount * 4, pointCount * 16);
  const rings: FlatRing[] = [];
  for (let part = 0; part < partCount; part++) {
    const first = bytes.readInt32LE(start + 44 + part * 4);
    const end = part + 1 < partCount ? bytes.readInt32LE(start + 48 + part * 4) : pointCount;
    const ring: FlatRing = [];
    for (let i = first; i < end; i++) {
      ring.push(points.getFloat64(i * 16, true), points.getFloat64(i * 16 + 8, true));
    }
    rings.push(ring);
  }
  return assemblePolygons(rings);
}
