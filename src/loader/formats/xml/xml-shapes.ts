import { linesOfArcs, ringThrough } from '../shapes/arcs.js';
import type { FlatRing, SourceGeometry } from '../source-row.js';
import type { Attributes } from './xml-reader.js';

const polygonElements = new Set(['Polygon', 'PolygonPatch', 'Triangle', 'Rectangle']);
const arcElements = new Set(['Arc', 'ArcString', 'Circle']);
const otherCurves = new Set(['ArcByCenterPoint', 'CircleByCenterPoint', 'ArcByBulge', 'ArcStringByBulge', 'Bezier', 'BSpline']);

/** Assembles the shape of a GML or KML feature from its polygons, rings and points. Elements around them do not matter. */
export class XmlShapes {
  private polygons: FlatRing[][] = [];
  private polygon: FlatRing[] = [];
  private point: FlatRing | null = null;
  private ring: FlatRing = [];
  private isInner = false;
  private arcStart = 0;
  private dimensions = 2;
  private fault: string | null = null;

  /** @param isFirst whether the element begins a shape */
  open(name: string, attributes: Attributes, isFirst: boolean): void {
    const stated = Number(attributes.srsDimension);
    if (stated >= 2) this.dimensions = stated;
    else if (isFirst) this.dimensions = 2;
    if (polygonElements.has(name)) this.polygon = [];
    else if (name === 'exterior' || name === 'outerBoundaryIs') this.isInner = false;
    else if (name === 'interior' || name === 'innerBoundaryIs') this.isInner = true;
    else if (name === 'LinearRing' || name === 'Ring' || name === 'Point') this.ring = [];
    else if (arcElements.has(name)) this.arcStart = this.ring.length;
    else if (otherCurves.has(name)) this.fault = 'It has curves other than arcs, which have to be turned into lines';
  }

  close(name: string, text: string): void {
    if (name === 'posList' || name === 'pos') this.addPositions(text);
    else if (name === 'coordinates') this.addAll(readTuples(text));
    else if (name === 'X' || name === 'Y')
      this.ring.push(Number(text)); // of a `coord`, in this order
    else if (arcElements.has(name)) this.turnArcs(name === 'Circle');
    else if (name === 'LinearRing' || name === 'Ring') this.endRing();
    else if (name === 'Point' && this.ring.length > 0) this.point ??= this.ring.slice(0, 2);
    else if (polygonElements.has(name)) {
      if (this.polygon.length > 0) this.polygons.push(this.polygon);
      this.polygon = []; // a ring outside of a polygon is none of its
    }
  }

  /** Ends the feature. A point counts only if there is no polygon. */
  drain(): { geometry: SourceGeometry | null; fault: string | null } {
    const { polygons, point, fault } = this;
    this.polygons = [];
    this.point = null;
    this.fault = null;
    if (polygons.length === 1) return { geometry: { type: 'Polygon', coordinates: polygons[0] }, fault };
    if (polygons.length > 1) return { geometry: { type: 'MultiPolygon', coordinates: polygons }, fault };
    return { geometry: point && { type: 'Point', coordinates: point }, fault };
  }

  private endRing(): void {
    if (this.isInner) this.polygon.push(this.ring);
    else this.polygon.unshift(this.ring);
  }

  private addPositions(text: string): void {
    const positions: FlatRing = [];
    let i = 0;
    for (const [number] of text.matchAll(/\S+/g)) if (i++ % this.dimensions < 2) positions.push(Number(number));
    this.addAll(positions);
  }

  /** A circle is stated by three points on it. */
  private turnArcs(isCircle: boolean): void {
    const positions = this.ring.splice(this.arcStart);
    try {
      this.addAll(isCircle ? ringThrough(positions) : linesOfArcs(positions));
    } catch (error) {
      this.fault = `Its shape can't be read: ${(error as Error).message}`;
    }
  }

  private addAll(positions: FlatRing): void {
    for (const number of positions) this.ring.push(number);
  }
}

/** Reads `x,y,z x,y,z …` without the heights. There may be spaces around the commas. */
function readTuples(text: string): FlatRing {
  const ring: FlatRing = [];
  for (const [, x, y] of text.matchAll(/([^\s,]+)\s*,\s*([^\s,]+)(?:\s*,\s*[^\s,]+)?/g)) ring.push(Number(x), Number(y));
  return ring;
}
