import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { lot } from './county-file.js';

const headerBytes = 100;
const polygonType = 5;
const textWidth = 80;
const numberWidth = 18;

type Column = [name: string, type: 'C' | 'N', width: number];

/** Writes the lots of `writeCountyFile` as a Shapefile, its text columns as wide as GDAL makes them. */
export async function writeCountyShapefile(path: string, count: number): Promise<void> {
  const shapeBytes = shape(0).length;
  const write = (extension: string, pieces: Iterable<Buffer>) => pipeline(pieces, createWriteStream(path.replace('.shp', extension)));
  await write('.shp', [header(count * shapeBytes), ...Array.from({ length: count }, (_, i) => shape(i))]);
  // The service needs no index of the shapes, but shp2pgsql does.
  const entries = Array.from({ length: count }, (_, i) => bigEndian((headerBytes + i * shapeBytes) / 2, shapeBytes / 2 - 4));
  await write('.shx', [header(count * 8), ...entries]);
  await write('.dbf', table(count));
}

function header(contentBytes: number): Buffer {
  const bytes = Buffer.alloc(headerBytes);
  bytes.writeInt32BE(9994, 0);
  bytes.writeInt32BE((headerBytes + contentBytes) / 2, 24);
  bytes.writeInt32LE(1000, 28);
  bytes.writeInt32LE(polygonType, 32);
  return bytes;
}

function bigEndian(...numbers: number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 4);
  for (const [i, number] of numbers.entries()) bytes.writeInt32BE(number, i * 4);
  return bytes;
}

/** A polygon of one ring, clockwise as Shapefiles want it. Its bounding box is left out: nobody asks for it. */
function shape(i: number): Buffer {
  const ring = lot(i).geometry.coordinates[0]!.toReversed();
  const content = Buffer.alloc(48 + ring.length * 16);
  content.writeInt32LE(polygonType, 0);
  content.writeInt32LE(1, 36);
  content.writeInt32LE(ring.length, 40);
  for (const [k, [x, y]] of ring.entries()) {
    content.writeDoubleLE(x, 48 + k * 16);
    content.writeDoubleLE(y, 56 + k * 16);
  }
  return Buffer.concat([bigEndian(i + 1, content.length / 2), content]);
}

function* table(count: number): Iterable<Buffer> {
  // dBASE cuts names at ten characters.
  const columns = Object.entries(lot(0).properties).map(
    ([name, value]): Column => (typeof value === 'number' ? [name.slice(0, 10), 'N', numberWidth] : [name.slice(0, 10), 'C', textWidth]),
  );
  const start = Buffer.alloc(32 + columns.length * 32 + 1);
  start.set([3, 124, 1, 1]);
  start.writeUInt32LE(count, 4);
  start.writeUInt16LE(start.length, 8);
  start.writeUInt16LE(1 + columns.reduce((sum, [, , width]) => sum + width, 0), 10);
  for (const [i, [name, type, width]] of columns.entries()) {
    start.write(name + '\0'.repeat(11 - name.length) + type, 32 + i * 32, 'latin1');
    start[48 + i * 32] = width;
  }
  start[start.length - 1] = 0x0d;
  yield start;
  for (let i = 0; i < count; i++) {
    const values = Object.values(lot(i).properties).map((value, k) => String(value).slice(0, columns[k]![2]));
    yield Buffer.from(` ${values.map((value, k) => value.padEnd(columns[k]![2])).join('')}`, 'latin1');
  }
}
