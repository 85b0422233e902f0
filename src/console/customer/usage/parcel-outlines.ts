import type { MultiPolygon, Polygon, Position } from 'geojson';

/** What of a record is drawn: its shape, or else its point. */
export interface DrawnParcel {
  geometry: Polygon | MultiPolygon | null;
  latitude: number | null;
  longitude: number | null;
}

/** A parcel on a plane: a path, and its middle, which is drawn where the shape is too small to be seen. */
export interface Outline<Parcel> {
  parcel: Parcel;
  path: string;
  x: number;
  y: number;
  size: number;
}

export interface Drawing<Parcel> {
  outlines: Outline<Parcel>[];
  width: number;
  height: number;
  /** How much of the land the width shows. */
  widthKm: number;
}

const kmPerDegree = 111.32;
const margin = 8;

/** Draws parcels with north up into a plane of this width; a flat one, as a county is small. Null if none says where it is. */
export function drawParcels<Parcel extends DrawnParcel>(parcels: Parcel[], width: number, maxHeight: number): Drawing<Parcel> | null {
  const placed = parcels.map((parcel) => ({ parcel, rings: ringsOf(parcel) })).filter(({ rings }) => rings.length > 0);
  if (placed.length === 0) return null;
  const [west, east, south, north] = extentOf(placed.flatMap(({ rings }) => rings.flat()));
  // A degree of longitude is shorter the farther it is from the equator.
  const shrink = Math.cos((((north + south) / 2) * Math.PI) / 180);
  const [spanX, spanY] = [(east - west) * shrink || minSpan, north - south || minSpan];
  const inner = width - 2 * margin;
  const scale = Math.min(inner / spanX, (maxHeight - 2 * margin) / spanY);
  const left = (width - spanX * scale) / 2;
  const x = (longitude: number) => round(left + (longitude - west) * shrink * scale);
  const y = (latitude: number) => round(margin + (north - latitude) * scale);

  const outlines = placed.map(({ parcel, rings }) => {
    const [ownWest, ownEast, ownSouth, ownNorth] = extentOf(rings.flat());
    return {
      parcel,
      path: rings.map((ring) => `M${ring.map(([longitude, latitude]) => `${x(longitude!)} ${y(latitude!)}`).join('L')}Z`).join(''),
      x: x((ownWest + ownEast) / 2),
      y: y((ownSouth + ownNorth) / 2),
      size: Math.max((ownEast - ownWest) * shrink, ownNorth - ownSouth) * scale,
    };
  });
  return { outlines, width, height: Math.ceil(spanY * scale + 2 * margin), widthKm: (width / scale) * kmPerDegree };
}

// Of a single point, in degrees.
const minSpan = 0.001;

function ringsOf({ geometry, latitude, longitude }: DrawnParcel): Position[][] {
  if (geometry) return geometry.type === 'Polygon' ? geometry.coordinates : geometry.coordinates.flat();
  return latitude === null || longitude === null ? [] : [[[longitude, latitude]]];
}

function extentOf(points: Position[]): [west: number, east: number, south: number, north: number] {
  let [west, east, south, north] = [180, -180, 90, -90];
  for (const [longitude, latitude] of points) {
    west = Math.min(west, longitude!);
    east = Math.max(east, longitude!);
    south = Math.min(south, latitude!);
    north = Math.max(north, latitude!);
  }
  return [west, east, south, north];
}

const round = (pixels: number): number => Math.round(pixels * 10) / 10;
