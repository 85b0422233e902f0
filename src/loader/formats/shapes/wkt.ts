import type { FlatRing, SourceGeometry } from '../source-row.js';
import { joinLines, linesOfArcs } from './arcs.js';
import type { GeometryWithSrid } from './wkb.js';

/**
 * Reads well-known text, including heights, measures, and PostGIS's `SRID=2249;` prefix.
 * @throws Error completing the sentence "The geometry can't be read: …"
 */
export function parseWkt(text: string): GeometryWithSrid {
  const [stated, srid] = /^\s*SRID\s*=\s*(\d{1,9})\s*;/i.exec(text) ?? [''];
  const reader = new WktReader(text, stated.length);
  const geometry = reader.geometry(maxLevels);
  reader.end();
  return { geometry, srid: Number(srid ?? 0) || null };
}

const maxLevels = 20;

/** By its word, a type's name in GeoJSON, and how deep its positions are nested. */
const types: Record<string, [name: string, depth: number]> = {
  POINT: ['Point', 0],
  LINESTRING: ['LineString', 1],
  MULTIPOINT: ['MultiPoint', 1],
  POLYGON: ['Polygon', 2],
  CURVEPOLYGON: ['Polygon', 2],
  MULTILINESTRING: ['MultiLineString', 2],
  MULTIPOLYGON: ['MultiPolygon', 3],
  MULTISURFACE: ['MultiPolygon', 3],
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
    const type = (this.match(this.word) ?? '').toUpperCase().replace(/(ZM|Z|M)$/, '');
    const next = this.match(this.word)?.toUpperCase();
    const isEmpty = next === 'EMPTY' || (next !== undefined && this.match(this.word)?.toUpperCase() === 'EMPTY');
    if (isEmpty) return null;
    if (type === 'GEOMETRYCOLLECTION') {
      const geometries = this.list(() => this.geometry(levels - 1)).filter((member) => member !== null);
      return { type: 'GeometryCollection', geometries };
    }
    const [name, depth] = types[type] ?? [];
    if (depth === undefined) throw new Error(`it is not WKT, WKB or GeoJSON: ${JSON.stringify(this.text.slice(0, 30))}`);
    return { type: name!, coordinates: this.coordinates(depth) };
  }

  end(): void {
    if (this.text.slice(this.at).trim() !== '') throw new Error('there is text after its end');
  }

  private coordinates(depth: number): unknown[] {
    if (depth > 1) return this.list(() => this.member(depth - 1));
    return this.positions();
  }

  /** A ring or polygon. Of a shape with curves, it may have a name. */
  private member(depth: number): unknown[] {
    const word = this.match(this.word)
      ?.toUpperCase()
      .replace(/(ZM|Z|M)$/, '');
    if (word === 'EMPTY' || (word !== undefined && this.match(this.word)?.toUpperCase() === 'EMPTY')) return [];
    if (word === 'CIRCULARSTRING') return linesOfArcs(this.positions());
    if (word === 'COMPOUNDCURVE') return joinLines(this.list(() => this.member(1) as FlatRing));
    if (word !== undefined && types[word]?.[1] !== depth) throw new Error(`it holds a ${word} where none belongs`);
    return this.coordinates(depth);
  }

  /** One or more positions; those of a MULTIPOINT may have brackets of their own. */
  private positions(): FlatRing {
    const flat: FlatRing = [];
    this.expect('(');
    do {
      const isBracketed = this.accept('(');
      flat.push(this.readNumber(), this.readNumber());
      while (this.match(this.number) !== undefined);
      if (isBracketed) this.expect(')');
    } while (this.accept(','));
    this.expect(')');
    return flat;
  }

  private list<Item>(readItem: () => Item): Item[] {
    const items: Item[] = [];
    this.expect('(');
    do items.push(readItem());
    while (this.accept(','));
    this.expect(')');
    return items;
  }

  private readNumber(): number {
    const text = this.match(this.number);
    if (text === undefined) throw new Error(`a number is missing at character ${this.at + 1}`);
    return Number(text);
  }

  private expect(mark: string): void {
    if (!this.accept(mark)) throw new Error(`a ${mark} is missing at character ${this.at + 1}`);
  }

  private accept(mark: string): boolean {
    const before = this.at;
    if (this.match(this.mark) === mark) return true;
    this.at = before;
    return false;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match) this.at = pattern.lastIndex;
    return match?.[1];
  }
}
