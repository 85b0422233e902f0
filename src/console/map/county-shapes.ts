import shapesAddress from 'virtual:county-shapes.json';

type Bounds = [left: number, top: number, right: number, bottom: number];

export interface CountyShape {
  fips: string;
  name: string;
  /** SVG path data in the map's units. */
  path: string;
  center: [x: number, y: number];
  bounds: Bounds;
}

export interface CountyShapes {
  counties: CountyShape[];
  stateBorders: string;
}

/** The size of the map in its units. Four units are one pixel at natural size. */
export const mapWidth = 3900;
export const mapHeight = 2440;

/** A part of the map, in its units. */
export interface MapView {
  left: number;
  top: number;
  width: number;
  height: number;
}

export const wholeMap: MapView = { left: 0, top: 0, width: mapWidth, height: mapHeight };

/** The part of the map that counties fill, with a margin, as wide as high times `aspect`. Below `leastWidth` the shapes would look coarse. */
export function viewOf(counties: CountyShape[], aspect: number, leastWidth: number): MapView {
  const edge = (side: 0 | 1 | 2 | 3, most: typeof Math.max) =>
    counties.reduce((far, { bounds }) => most(far, bounds[side]), counties[0]!.bounds[side]);
  const [west, north, east, south] = [edge(0, Math.min), edge(1, Math.min), edge(2, Math.max), edge(3, Math.max)];
  const margin = 1.2;
  const width = Math.max((east - west) * margin, (south - north) * margin * aspect, leastWidth);
  return { left: (west + east - width) / 2, top: (north + south - width / aspect) / 2, width, height: width / aspect };
}

export const viewBoxOf = ({ left, top, width, height }: MapView): string => [left, top, width, height].map(Math.round).join(' ');

type Row = [fips: string, name: string, path: string, x: number, y: number, left: number, top: number, right: number, bottom: number];

let shapes: Promise<CountyShapes> | undefined;

/** The shapes, loaded once. After a failure, the next call tries again. */
export function loadCountyShapes(): Promise<CountyShapes> {
  shapes ??= fetchShapes().catch((error) => {
    shapes = undefined;
    throw error;
  });
  return shapes;
}

async function fetchShapes(): Promise<CountyShapes> {
  const response = await fetch(shapesAddress);
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  const { counties, stateBorders } = (await response.json()) as { counties: Row[]; stateBorders: string };
  return { counties: counties.map(([fips, name, path, x, y, ...bounds]) => ({ fips, name, path, center: [x, y], bounds })), stateBorders };
}
