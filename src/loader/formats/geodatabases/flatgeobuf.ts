import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { ByteBuffer } from 'flatbuffers';
import { Feature } from 'flatgeobuf/lib/mjs/flat-geobuf/feature.js';
import type { Geometry } from 'flatgeobuf/lib/mjs/flat-geobuf/geometry.js';
import { GeometryType, parseProperties } from 'flatgeobuf/lib/mjs/generic.js';
import { fromByteBuffer, type HeaderMeta } from 'flatgeobuf/lib/mjs/header-meta.js';
import { calcTreeSize } from 'flatgeobuf/lib/mjs/packedrtree.js';
import { AppError } from '../../../core/errors.js';
import { ColumnarRow } from '../columnar-row.js';
import { joinLines, linesOfArcs } from '../shapes/arcs.js';
import type { Source } from '../source.js';
import {
  brokenRow,
  type Cells,
  type FlatRing,
  type Properties,
  type ReadPosition,
  type SourceBatch,
  type SourceGeometry,
  type SourceRow,
} from '../source-row.js';
import { isLong, roundedLongs } from './flatgeobuf-longs.js';

const magicBytes = 8;
const prefixBytes = 4;
const maxHeaderBytes = 10 * 1024 ** 2;
const windowBytes = 128 * 1024;

/** A FlatGeobuf file, read in file order; its spatial index is skipped. */
export async function openFlatGeobuf(path: string): Promise<Source> {
  const name = basename(path);
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const prefix = await readBytes(file, magicBytes, prefixBytes);
    const headerBytes = prefixBytes + (prefix.length === prefixBytes ? prefix.readUInt32LE(0) : Number.POSITIVE_INFINITY);
    if (magicBytes + headerBytes > size || headerBytes > maxHeaderBytes) throw new AppError('invalid_request', `${name} is cut.`);
    const header = readHeader(name, await readBytes(file, magicBytes, headerBytes));
    const indexBytes = header.indexNodeSize > 0 ? calcTreeSize(header.featuresCount, header.indexNodeSize) : 0;
    const start = magicBytes + headerBytes + indexBytes;
    return {
      format: 'FlatGeobuf',
      name,
      files: [path],
      byteLength: size - start,
      crs: crsOf(header),
      warnings: [],
      read: (position) => readFeatures(path, header, start, position),
      close: async () => {},
    };
  } finally {
    await file.close();
  }
}

function readHeader(name: string, bytes: Buffer): HeaderMeta {
  try {
    return fromByteBuffer(new ByteBuffer(bytes));
  } catch (cause) {
    throw new AppError('invalid_request', `${name} is damaged: its header can't be read.`, { cause });
  }
}

function crsOf({ crs }: HeaderMeta): string | null {
  if (!crs) return null;
  return crs.code > 0 ? `${crs.org || 'EPSG'}:${crs.code}` : crs.wkt || crs.code_string || null;
}

async function readBytes(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
  return buffer.subarray(0, bytesRead);
}

async function* readFeatures(path: string, header: HeaderMeta, start: number, position: ReadPosition): AsyncIterable<SourceBatch> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const reader = new FlatGeobufReader(header);
    let offset = start;
    while (offset < size) {
      let bytes = await readBytes(file, offset, Math.min(windowBytes, size - offset));
      const first = bytes.length < prefixBytes ? Number.POSITIVE_INFINITY : prefixBytes + bytes.readUInt32LE(0);
      if (offset + first > size) throw new AppError('invalid_request', `The file is cut within feature ${reader.featureCount + 1}.`);
      if (first > bytes.length) bytes = await readBytes(file, offset, first);
      const spans: Buffer[] = [];
      let at = 0;
      while (at + prefixBytes <= bytes.length) {
        const end = at + prefixBytes + bytes.readUInt32LE(at);
        if (end > bytes.length) break;
        spans.push(bytes.subarray(at, end));
        at = end;
      }
      offset += at;
      position.bytesRead += at;
      yield reader.rows(spans);
    }
    if (header.featuresCount > reader.featureCount)
      throw new AppError(
        'invalid_request',
        `The file is cut: its header states ${header.featuresCount} features, it has ${reader.featureCount}.`,
      );
  } finally {
    await file.close();
  }
}

class FlatGeobufReader {
  featureCount = 0;
  private readonly columns: string[];
  private readonly longColumns: string[];
  /** Coordinates are read in place, which needs an address that is a multiple of eight bytes. */
  private aligned = new Uint8Array(windowBytes);

  constructor(private readonly header: HeaderMeta) {
    this.columns = (header.columns ?? []).map(({ name }) => name);
    this.longColumns = (header.columns ?? []).filter(isLong).map(({ name }) => name);
  }

  *rows(spans: Buffer[]): Iterable<SourceRow> {
    for (const bytes of spans) yield this.row(bytes);
  }

  private row(bytes: Buffer): SourceRow {
    const number = ++this.featureCount;
    if (bytes.length > this.aligned.length) this.aligned = new Uint8Array(bytes.length);
    this.aligned.set(bytes);
    try {
      const feature = Feature.getSizePrefixedRootAsFeature(new ByteBuffer(this.aligned));
      const geometry = feature.geometry();
      return new ColumnarRow(number, this.cells(feature), geometry && geometryOf(geometry, this.header.geometryType));
    } catch (error) {
      return brokenRow(number, `The feature is damaged: ${(error as Error).message}`, '');
    }
  }

  private cells(feature: Feature): Cells {
    const { columns, header } = this;
    const found: Properties = parseProperties(feature, header.columns);
    if (this.longColumns.some((name) => !Number.isSafeInteger(found[name] ?? 0))) {
      Object.assign(found, roundedLongs(feature, header.columns!));
    }
    return { columns, values: columns.map((name) => (found[name] instanceof Uint8Array ? null : (found[name] ?? null))) };
  }
}

function geometryOf(geometry: Geometry, headerType: GeometryType): SourceGeometry | null {
  const type = headerType === GeometryType.Unknown ? geometry.type() : headerType;
  switch (type) {
    case GeometryType.Point:
      return { type: 'Point', coordinates: flatRing(geometry.xyArray()) };
    case GeometryType.MultiPoint:
      return { type: 'MultiPoint', coordinates: flatRing(geometry.xyArray()) };
    case GeometryType.Polygon:
    case GeometryType.Triangle:
      return { type: 'Polygon', coordinates: ringsOf(geometry) };
    case GeometryType.CurvePolygon:
      return { type: 'Polygon', coordinates: partsOf(geometry).map(linesOf) };
    case GeometryType.MultiPolygon:
    case GeometryType.TIN:
    case GeometryType.PolyhedralSurface:
      return { type: 'MultiPolygon', coordinates: partsOf(geometry).map(ringsOf) };
    case GeometryType.GeometryCollection:
    case GeometryType.MultiSurface:
      return {
        type: 'GeometryCollection',
        geometries: partsOf(geometry)
          .map((part) => geometryOf(part, GeometryType.Unknown))
          .filter((part) => part !== null),
      };
    case GeometryType.LineString:
    case GeometryType.MultiLineString:
      return null;
    default:
      throw new Error(`shapes of type ${GeometryType[type] ?? type} are not read`);
  }
}

function partsOf(geometry: Geometry): Geometry[] {
  return Array.from({ length: geometry.partsLength() }, (_, i) => geometry.parts(i)!);
}

/** The lines of a curve. */
function linesOf(curve: Geometry): FlatRing {
  if (curve.type() === GeometryType.CompoundCurve) return joinLines(partsOf(curve).map(linesOf));
  const positions = flatRing(curve.xyArray());
  return curve.type() === GeometryType.CircularString ? linesOfArcs(positions) : positions;
}

function ringsOf(geometry: Geometry): FlatRing[] {
  const xy = geometry.xyArray();
  const ends = geometry.endsArray();
  if (!ends || ends.length < 2) return [flatRing(xy)];
  return Array.from(ends, (end, i) => flatRing(xy, i === 0 ? 0 : 2 * ends[i - 1]!, 2 * end));
}

/** Copies the ring, because the next feature overwrites the bytes. */
function flatRing(xy: Float64Array | null, start = 0, end = xy?.length ?? 0): FlatRing {
  const ring: FlatRing = [];
  for (let i = start; i < end; i++) ring.push(xy![i]!);
  return ring;
}
