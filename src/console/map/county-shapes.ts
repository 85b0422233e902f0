import shapesAddress from 'virtual:county-shapes.json';
import stateFiles from 'virtual:state-shapes';
import { useRemote } from '../hooks/use-remote.js';
import { type Bounds, joined } from '../parcel-map/drawn-parcel.js';
import { getJson } from '../public-api.js';

export interface CountyShape {
  fips: string;
  name: string;
  /** SVG path data in the map's units. */
  path: string;
  center: [x: number, y: number];
  /** Left, top, right, bottom. */
  bounds: Bounds;
}

export interface CountyShapes {
  counties: CountyShape[];
  stateBorders: string;
  /** Finer shapes include waters: only what is within this is land. SVG path data. */
  land?: string;
  /** The line between land and waters. */
  shore?: string;
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

/** The part of the map that counties fill, with a margin, as wide as high times `aspect`. At least `leastWidth` wide, so that the surroundings are seen. */
export function viewOf(counties: CountyShape[], aspect: number, leastWidth: number): MapView {
  const [west, north, east, south] = joined(counties.map(({ bounds }) => bounds));
  const margin = 1.2;
  const width = Math.max((east - west) * margin, (south - north) * margin * aspect, leastWidth);
  return { left: (west + east - width) / 2, top: (north + south - width / aspect) / 2, width, height: width / aspect };
}

/** Whether a view shows something of what has these bounds. @param margin around the view */
export const isWithin = ({ left, top, width, height }: MapView, [west, north, east, south]: Bounds, margin = 0): boolean =>
  east > left - margin && west < left + width + margin && south > top - margin && north < top + height + margin;

export const viewBoxOf = ({ left, top, width, height }: MapView): string => [left, top, width, height].map(Math.round).join(' ');

type Row = [fips: string, name: string, path: string, x: number, y: number, left: number, top: number, right: number, bottom: number];

/** The shapes of all counties, simplified for the whole map. */
export const useCountyShapes = () => useRemote('county shapes', loadCountyShapes, true);

async function loadCountyShapes(): Promise<CountyShapes> {
  const { counties, stateBorders } = await getJson<{ counties: Row[]; stateBorders: string }>(shapesAddress);
  return {
    counties: counties.map(([fips, name, path, x, y, ...bounds]) => ({ fips, name, path, center: [x, y], bounds })),
    stateBorders,
  };
}

interface FineShapes {
  counties: [fips: string, path: string, left: number, top: number, right: number, bottom: number][];
  land: string;
  shore: string;
}

/** Finer shapes of the counties in a view. They have no borders of states. */
async function loadFinerShapes(view: MapView, { counties }: CountyShapes): Promise<CountyShapes> {
  const files = Object.values(stateFiles).filter(({ box }) => isWithin(view, box));
  // A browser keeps these files.
  const states = await Promise.all(files.map(({ address }) => getJson<FineShapes>(address)));
  const finer = new Map(states.flatMap((state) => state.counties.map(([fips, path, ...bounds]) => [fips, { path, bounds }])));
  return {
    counties: counties.map((county) => ({ ...county, ...finer.get(county.fips) })).filter(({ bounds }) => isWithin(view, bounds)),
    stateBorders: '',
    land: states.map(({ land }) => land).join(''),
    shore: states.map(({ shore }) => shore).join(''),
  };
}

/** Undefined until they are there, and if they cannot be had: the shapes of the whole map will do. @param view undefined: they are not needed */
export function useFinerShapes(view: MapView | undefined, shapes: CountyShapes | undefined): CountyShapes | undefined {
  const isWanted = view !== undefined && shapes !== undefined;
  const { data, isOutdated } = useRemote(isWanted ? `shapes ${viewBoxOf(view)}` : undefined, () => loadFinerShapes(view!, shapes!), true);
  return isWanted && !isOutdated ? data : undefined;
}
