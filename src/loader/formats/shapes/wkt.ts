import type { FlatRing, SourceGeometry } from '../source.js';
import type { StatedGeometry } from './wkb.js';

/**
 * Reads well-known text, also with heights and measures, and with PostGIS' `SRID=2249;` before it.
 * @throws Error saying what is wrong with it
 */
export function parseWkt(text: string): StatedGeometry {
  const [stated, srid] = /^\s*SRID\s*=\s*(\d{1,9})\s*;/i.exec(text) ?? [''];
  const reader = new WktReader(text, stated.length);
  const geometry = reader.geometry(maxLevels);
  reader.end();
  return { geometry, srid: Number(srid ?? 0) || null };
}

const maxLevels = 20;

const levelsOf: Record<string, number> = {
  POINT: 0,
  LINESTRING: 1,
  MULTIPOINT: 1,
  POLYGON: 2,
  CURVEPOLYGON: 2,
  MULTILINESTRING: 2,
  MULTIPOLYGON: 3,
  MULTISURFACE: 3,
};

const names: Record<string, string> = {
  POINT: 'Point',
  LINESTRING: 'LineString',
  MULTIPOINT: 'MultiPoint',
  POLYGON: 'Polygon',
  CURVEPOLYGON: 'Polygon',
  MULTILINESTRING: 'MultiLineString',
  MULTIPOLYGON: 'MultiPolygon',
  MULTISURFACE: 'MultiPolygon',
};

class WktReader {
  private readonly word = /\s*([A-Za-z]+)/y;
  private readonly mark = /\s*([(),])/y;
  private readonly number = /\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?![\w.])/y;

  constructor(
    private readonly text: string,
    private at: number,
  ) {}

  geometry(levels: number): SourceGeometry | null {
    if (levels === 0) throw new Error('it is nested too deeply');
    const type = (this.take(this.word) ?? '').toUpperCase().replace(/(ZM|Z|M)$/, '');
    const next = this.take(this.word)?.toUpperCase();
    const isEmpty = next === 'EMPTY' || (next !== undefined && this.take(this.word)?.toUpperCase() === 'EMPTY');
    if (isEmpty) return null;
    if (type === 'GEOMETRYCOLLECTION') {
      const geometries = this.list(() => this.geometry(levels - 1)).filter((member) => member !== null);
      return { type: 'GeometryCollection', geometries };
    }
    const depth = levelsOf[type];
    if (depth === undefined) throw new Error(`it is no WKT, WKB or GeoJSON: ${JSON.stringify(this.text.slice(0, 30))}`);
    return { type: names[type]!, coordinates: this.coordinates(depth) };
  }

  end(): void {
    if (this.text.slice(this.at).trim() !== '') throw new Error('it goes on behind its end');
  }

  private coordinates(depth: number): unknown[] {
    if (depth > 1) return this.list(() => (this.mayTakeEmpty() ? [] : this.coordinates(depth - 1)));
    return this.positions();
  }

  /** Any other word is what a curve begins with. */
  private mayTakeEmpty(): boolean {
    const word = this.take(this.word)?.toUpperCase();
    if (word !== undefined && word !== 'EMPTY')
      throw new Error(`it holds a ${word}, which is not read (curves have to be turned into lines)`);
    return word === 'EMPTY';
  }

  /** One position or many; those of a MULTIPOINT may have brackets of their own. */
  private positions(): FlatRing {
    const flat: FlatRing = [];
    this.expect('(');
    do {
      const isBracketed = this.mayTake('(');
      flat.push(this.readNumber(), this.readNumber());
      while (this.take(this.number) !== undefined);
      if (isBracketed) this.expect(')');
    } while (this.mayTake(','));
    this.expect(')');
    return flat;
  }

  private list<Item>(readItem: () => Item): Item[] {
    const items: Item[] = [];
    this.expect('(');
    do items.push(readItem());
    while (this.mayTake(','));
    this.expect(')');
    return items;
  }

  private readNumber(): number {
    const text = this.take(this.number);
    if (text === undefined) throw new Error(`a number is missing at character ${this.at + 1}`);
    return Number(text);
  }

  private expect(mark: string): void {
    if (!this.mayTake(mark)) throw new Error(`a ${mark} is missing at character ${this.at + 1}`);
  }

  private mayTake(mark: string): boolean {
    const before = this.at;
    if (this.take(this.mark) === mark) return true;
    this.at = before;
    return false;
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match) this.at = pattern.lastIndex;
    return match?.[1];
  }
}
