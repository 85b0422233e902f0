import type { MultiPolygon, Polygon, Position } from 'geojson';

/** A parcel whose record is known: it is drawn over the county's map. */
export interface DrawnParcel {
  key: string;
  geometry: Polygon | MultiPolygon | null;
  /** The place of a parcel without a shape. */
  latitude: number | null;
  longitude: number | null;
}

/** West, south, east, north, in degrees; of shapes on a plane their least x and y, and their greatest. */
export type Bounds = [number, number, number, number];

/** Null for a parcel that is nowhere. */
export function boundsOf({ geometry, latitude, longitude }: Omit<DrawnParcel, 'key'>): Bounds | null {
  const points = geometry ? ringsOf(geometry).flat() : latitude === null || longitude === null ? [] : [[longitude, latitude]];
  if (points.length === 0) return null;
  return boxAround(points);
}

/** There must be at least one point. */
export const boxAround = (points: Position[]): Bounds => joined(points.map(([x, y]) => [x!, y!, x!, y!]));

/** A box around all of these boxes. There must be at least one. */
export const joined = (all: Bounds[]): Bounds =>
  all.reduce((sum, one) => [Math.min(sum[0], one[0]), Math.min(sum[1], one[1]), Math.max(sum[2], one[2]), Math.max(sum[3], one[3])]);

export const ringsOf = (geometry: Polygon | MultiPolygon): Position[][] =>
  geometry.type === 'Polygon' ? geometry.coordinates : geometry.coordinates.flat();
