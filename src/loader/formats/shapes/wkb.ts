import type { FlatRing, SourceGeometry } from '../source-row.js';
import { joinLines, linesOfArcs } from './arcs.js';

export interface GeometryWithSrid {
  /** Null if it is empty. */
  geometry: SourceGeometry | null;
  /** The coordinate system that the geometry itself states, or null. */
  srid: number | null;
}

/**
 * Reads well-known binary: OGC's, ISO's with heights and measures, and PostGIS's with an SRID.
 * @throws Error completing the sentence "The geometry can't be read: …"
 */
export function parseWkb(bytes: Uint8Array): GeometryWithSrid {
  const reader = new WkbReader(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  try {
    return { geometry: reader.geometry(maxLevels), srid: reader.srid };
  } catch (error) {
    throw error instanceof RangeError ? new Error('it is cut') : error;
  }
}

// The limit for nested collections.
const maxLevels = 20;

const withHeight = 0x8000_0000;
const withMeasure = 0x4000_0000;
const withSrid = 0x2000_0000;

enum Kind {
  Point = 1,
  LineString = 2,
  Polygon = 3,
  MultiPoint = 4,
  MultiLineString = 5,
  MultiPolygon = 6,
  Collection = 7,
  CircularString = 8,
  CompoundCurve = 9,
  CurvePolygon = 10,
  MultiCurve = 11,
  MultiSurface = 12,
  PolyhedralSurface = 15,
  Tin = 16,
  Triangle = 17,
}

class WkbReader {
  srid: number | null = null;
  private at = 0;
  private isLittleEndian = true;

  constructor(private readonly view: DataView) {}

  geometry(levels: number): SourceGeometry | null {
    if (levels === 0) throw new Error('it is nested too deeply');
    this.isLittleEndian = this.view.getUint8(this.at++) === 1;
    const type = this.uint32();
    if (type & withSrid) this.srid = this.uint32() || null;
    const code = type & 0x0fff_ffff;
    const variant = Math.floor(code / 1000); // ISO's: 1 with heights, 2 with measures, 3 with both
    const hasHeight = (type & withHeight) !== 0 || variant === 1 || variant === 3;
    const hasMeasure = (type & withMeasure) !== 0 || variant === 2 || variant === 3;
    const size = 2 + Number(hasHeight) + Number(hasMeasure);
    switch (code % 1000) {
      case Kind.Point:
        return this.point(size);
      case Kind.LineString:
        return { type: 'LineString', coordinates: this.ring(size) };
      case Kind.CircularString:
        return { type: 'LineString', coordinates: linesOfArcs(this.ring(size)) };
      case Kind.CompoundCurve:
        return { type: 'LineString', coordinates: joinLines(this.list(() => this.memberOf('LineString', levels) as FlatRing)) };
      case Kind.Polygon:
      case Kind.Triangle:
        return { type: 'Polygon', coordinates: this.list(() => this.ring(size)) };
      case Kind.CurvePolygon:
        return { type: 'Polygon', coordinates: this.list(() => this.memberOf('LineString', levels)) };
      case Kind.MultiPoint:
        return { type: 'MultiPoint', coordinates: this.list(() => this.memberOf('Point', levels)) };
      case Kind.MultiLineString:
      case Kind.MultiCurve:
        return { type: 'MultiLineString', coordinates: this.list(() => this.memberOf('LineString', levels)) };
      case Kind.MultiPolygon:
      case Kind.MultiSurface:
      case Kind.PolyhedralSurface:
      case Kind.Tin:
        return { type: 'MultiPolygon', coordinates: this.list(() => this.memberOf('Polygon', levels)) };
      case Kind.Collection:
        return { type: 'GeometryCollection', geometries: this.list(() => this.geometry(levels - 1)).filter((member) => member !== null) };
      default:
        throw new Error(`it is of type ${code}, which is not read`);
    }
  }

  private memberOf(type: string, levels: number): unknown {
    const member = this.geometry(levels - 1);
    if (member && member.type !== type) throw new Error(`it holds a ${member.type} where a ${type} belongs`);
    return member?.coordinates ?? [];
  }

  /** An empty point is written as two NaN. */
  private point(size: number): SourceGeometry | null {
    const [x, y] = [this.float64(), this.float64()];
    this.at += 8 * (size - 2);
    return Number.isNaN(x) && Number.isNaN(y) ? null : { type: 'Point', coordinates: [x, y] };
  }

  private ring(size: number): FlatRing {
    const count = this.uint32();
    const { view, isLittleEndian } = this;
    if (this.at + count * size * 8 > view.byteLength) throw new RangeError('cut');
    const ring: FlatRing = [];
    let { at } = this;
    for (let i = 0; i < count; i++, at += size * 8) ring.push(view.getFloat64(at, isLittleEndian), view.getFloat64(at + 8, isLittleEndian));
    this.at = at;
    return ring;
  }

  /** Each item takes some bytes, so a false count fails at the end of the bytes. */
  private list<Item>(readItem: () => Item): Item[] {
    const count = this.uint32();
    const items: Item[] = [];
    for (let i = 0; i < count; i++) items.push(readItem());
    return items;
  }

  private uint32(): number {
    this.at += 4;
    return this.view.getUint32(this.at - 4, this.isLittleEndian);
  }

  private float64(): number {
    this.at += 8;
    return this.view.getFloat64(this.at - 8, this.isLittleEndian);
  }
}
