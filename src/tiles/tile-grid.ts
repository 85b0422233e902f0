/** The zooms that tiles are cut for. A map magnifies the deepest. */
export const [minZoom, maxZoom] = [6, 15];

/** The deepest zoom for callers without a session. Down to it, tiles have no numbers and coarse shapes. */
export const openZoom = 13;

const coarseMeters = 5;
const metersOfEquator = 40_075_017;

/** The least power of two of a tile's units that is five meters or more on the ground, so that tiles meet at their edges. */
export function coarseUnits(z: number, y: number): number {
  const meters = (metersOfEquator * Math.cos((latitudeAt((y + 0.5) / 2 ** z) * Math.PI) / 180)) / 2 ** z / extent;
  return 2 ** Math.max(0, Math.ceil(Math.log2(coarseMeters / meters)));
}

/** The units of a tile's side. */
export const extent = 4_096;

/** Longitude and latitude, in degrees. */
type Position = number[];

/** A record's `geometry`. */
export type Shape = { type: 'Polygon'; coordinates: Position[][] } | { type: 'MultiPolygon'; coordinates: Position[][][] };

/** A shape on the square of the world, whose sides are 1, with north up. */
export interface Placed {
  west: number;
  north: number;
  east: number;
  south: number;
  area: number;
  /** How many corners it has. */
  corners: number;
}

/** The places of a release's parcels, by their ordinals. They are kept as six numbers each: 48 MB for a million parcels. */
export class Places {
  private readonly numbers: Float64Array;

  constructor(records: number) {
    this.numbers = new Float64Array((records + 1) * 6);
  }

  set(ordinal: number, { west, north, east, south, area, corners }: Placed): void {
    this.numbers.set([west, north, east, south, area, corners], ordinal * 6);
  }

  get(ordinal: number): Placed {
    const [west, north, east, south, area, corners] = this.numbers.subarray(ordinal * 6) as unknown as number[];
    return { west: west!, north: north!, east: east!, south: south!, area: area!, corners: corners! };
  }
}

/** A shape of more corners than memory holds at once, such as a coast, is drawn by every second, third or further one of them. */
export function thinned(shape: Shape, mostCorners: number): Shape {
  const step = Math.ceil(
    partsOf(shape)
      .flat()
      .reduce((sum, { length }) => sum + length, 0) / mostCorners,
  );
  if (step <= 1) return shape;
  const thin = (ring: Position[]) => ring.filter((_, i) => i % step === 0 || i === ring.length - 1);
  return { type: 'MultiPolygon', coordinates: partsOf(shape).map((rings) => rings.map(thin)) };
}

const partsOf = ({ type, coordinates }: Shape): Position[][][] => (type === 'Polygon' ? [coordinates] : coordinates);

/** Where a shape lies in the Web Mercator projection, and its area there. */
export function placed(shape: Shape): Placed {
  const place = { west: 1, north: 1, east: 0, south: 0, area: 0, corners: 0 };
  for (const rings of partsOf(shape)) {
    for (const [index, ring] of rings.entries()) {
      const points = ring.map(onSquare);
      place.corners += points.length;
      for (const [x, y] of points) {
        place.west = Math.min(place.west, x);
        place.east = Math.max(place.east, x);
        place.north = Math.min(place.north, y);
        place.south = Math.max(place.south, y);
      }
      place.area += index === 0 ? areaOf(points) : -areaOf(points);
    }
  }
  return place;
}

export const longitudeAt = (x: number): number => x * 360 - 180;

export const latitudeAt = (y: number): number => (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;

function onSquare([longitude, latitude]: Position): [number, number] {
  const sine = Math.sin((latitude! * Math.PI) / 180);
  return [longitude! / 360 + 0.5, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
}

// From the first corner: far from it, products of coordinates lose the area of a small parcel.
function areaOf(ring: [number, number][]): number {
  const [x0, y0] = ring[0] ?? [0, 0];
  let twice = 0;
  for (let i = 1; i < ring.length; i++) {
    const [x1, y1] = ring[i - 1]!;
    const [x2, y2] = ring[i]!;
    twice += (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
  }
  return Math.abs(twice) / 2;
}
