import { type FileHandle, open } from 'node:fs/promises';
import { AppError } from '../../errors.js';
import { assemblePolygons } from './assemble-polygons.js';
import type { FlatRing, ReadPosition, SourceGeometry } from './source.js';

const headerBytes = 100;
const windowBytes = 128 * 1024;

/** The shapes of a `.shp` file in their order. Heights and measures (types …Z and …M) follow the points and are not read. */
export async function* readShapes(path: string, position: ReadPosition): AsyncIterable<Iterable<ReadShape>> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const promised = (await readHeader(file)) ?? size;
    if (promised > size) {
      throw new AppError('invalid_request', `The file is cut: its header promises ${promised} bytes, it has ${size}.`);
    }
    let offset = headerBytes;
    let bytes: Buffer = Buffer.alloc(0);
    while (offset + 8 <= promised) {
      bytes = await readWindow(file, offset, windowBytes);
      let start = 0;
      const starts: number[] = [];
      while (start + 8 <= bytes.length && offset + start + 8 <= promised) {
        const length = bytes.readInt32BE(start + 4) * 2;
        if (length < 4 || offset + start + 8 + length > size) {
          throw new AppError('invalid_request', `The file is cut or damaged at byte ${offset + start} of ${size}.`);
        }
        if (start + 8 + length > bytes.length) {
          if (start > 0) break;
          bytes = await readWindow(file, offset, 8 + length);
        }
        starts.push(start + 8);
        start += 8 + length;
      }
      offset += start;
      position.bytesRead += start;
      yield shapesAt(bytes, starts);
    }
  } finally {
    await file.close();
  }
}

async function readHeader(file: FileHandle): Promise<number | null> {
  const header = await readWindow(file, 0, headerBytes);
  // Some writers that stream leave the length at 0.
  return header.length === headerBytes && header.readInt32BE(24) > 0 ? header.readInt32BE(24) * 2 : null;
}

async function readWindow(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, offset);
  return buffer.subarray(0, bytesRead);
}

const polygonTypes = new Set([5, 15, 25]);
const pointTypes = new Set([1, 11, 21]);

/** A shape that can't be read is the error that says why: the shapes after it can be. */
export type ReadShape = SourceGeometry | null | Error;

function* shapesAt(bytes: Buffer, starts: number[]): Iterable<ReadShape> {
  for (const start of starts) {
    try {
      yield shapeAt(bytes, start);
    } catch (error) {
      yield error as Error;
    }
  }
}

function shapeAt(bytes: Buffer, start: number): SourceGeometry | null {
  const type = bytes.readInt32LE(start);
  if (pointTypes.has(type)) return { type: 'Point', coordinates: [bytes.readDoubleLE(start + 4), bytes.readDoubleLE(start + 12)] };
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
