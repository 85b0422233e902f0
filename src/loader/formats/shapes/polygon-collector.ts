import type { FlatRing, SourceGeometry } from '../source.js';

/** Puts the polygons together of which XML formats tell ring by ring, whatever they are wrapped in. */
export class PolygonCollector {
  private polygons: FlatRing[][] = [];
  private current: FlatRing[] | null = null;
  private point: number[] | null = null;

  openPolygon(): void {
    this.current = [];
  }

  closePolygon(): void {
    if (this.current && this.current.length > 0) this.polygons.push(this.current);
    this.current = null;
  }

  addRing(ring: FlatRing, isOuter: boolean): void {
    if (isOuter) this.current?.unshift(ring);
    else this.current?.push(ring);
  }

  addPoint(position: number[]): void {
    this.point ??= position.slice(0, 2);
  }

  /** What was collected since the last time; the point only where there is no polygon. */
  take(): SourceGeometry | null {
    const { polygons, point } = this;
    this.polygons = [];
    this.point = null;
    if (polygons.length === 1) return { type: 'Polygon', coordinates: polygons[0] };
    if (polygons.length > 1) return { type: 'MultiPolygon', coordinates: polygons };
    return point && { type: 'Point', coordinates: point };
  }
}
