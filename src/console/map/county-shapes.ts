import shapesAddress from 'virtual:county-shapes.json';

export interface CountyShape {
  fips: string;
  name: string;
  /** SVG path data in the map's units. */
  path: string;
  center: [x: number, y: number];
  bounds: [left: number, top: number, right: number, bottom: number];
}

export interface CountyShapes {
  counties: CountyShape[];
  stateBorders: string;
}

/** The size of the map in its units. Four units are one pixel at natural size. */
export const mapWidth = 3900;
export const mapHeight = 2440;

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
