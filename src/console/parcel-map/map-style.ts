import type { FeatureCollection } from 'geojson';
import type { ExpressionSpecification, LayerSpecification, StyleSpecification } from 'maplibre-gl';
import { site } from '../site.js';
import { boundsOf, type DrawnParcel } from './drawn-parcel.js';

/** The tiles of a county's release. */
export interface TileSet {
  fips: string;
  releaseId: number;
  /** The deepest zoom that the reader may see; unset: that of a session. */
  maxZoom?: number;
}

// The zooms that the server cuts tiles for (`src/tiles/tile-grid.ts`).
export const [minZoom, maxTileZoom] = [6, 15];
// Below it, a parcel's outline would be darker than the parcel.
const outlinesFrom = 13;
const shapesFrom = 14;

export const drawnLayers = ['drawn-shapes', 'drawn-points'];
export const layersOf = ({ fips }: TileSet): string[] => [`parcels-${fips}`, `small-${fips}`];

/** The style of a map, in the page's colours. No layer of ours has text, which would need fonts. */
export function styleOf(tiles: TileSet[], drawn: DrawnParcel[], colors: MapColors): StyleSpecification {
  const { origin } = window.location;
  const tileSources = tiles.map(({ fips, releaseId, maxZoom = maxTileZoom }) => [
    fips,
    {
      type: 'vector' as const,
      tiles: [`${origin}/page-data/parcel-tiles/${fips}/${releaseId}/{z}/{x}/{y}`],
      minzoom: minZoom,
      maxzoom: maxZoom,
      promoteId: { parcels: 'apn' },
    },
  ]);
  return {
    version: 8,
    transition: { duration: 0, delay: 0 },
    sources: {
      ...(site.basemapUrl && {
        streets: { type: 'raster', tiles: [site.basemapUrl], tileSize: 256, maxzoom: 19, attribution: site.basemapAttribution ?? '' },
      }),
      ...Object.fromEntries(tileSources),
      shapes: { type: 'geojson', promoteId: 'key', data: shapesOf(drawn) },
      points: { type: 'geojson', promoteId: 'key', data: pointsOf(drawn) },
    },
    layers: [
      { id: 'background', type: 'background', paint: { 'background-color': colors.background } },
      ...(site.basemapUrl
        ? [{ id: 'streets', type: 'raster', source: 'streets', paint: streetPaint[colors.isDark ? 'dark' : 'light'] } as const]
        : []),
      ...tiles.flatMap((set) => tileLayers(set, colors)),
      { id: 'drawn-shapes', type: 'fill', source: 'shapes', paint: { 'fill-color': colors.drawn, 'fill-opacity': ifMarked(0.85, 0.4) } },
      { id: 'drawn-lines', type: 'line', source: 'shapes', paint: { 'line-color': colors.drawn, 'line-width': ifMarked(4, 2) } },
      {
        id: 'drawn-points',
        type: 'circle',
        source: 'points',
        paint: {
          'circle-color': colors.drawn,
          // A shape is smaller than a point until the map is near.
          'circle-radius': ['step', ['zoom'], ifMarked(8, 4), shapesFrom, ['case', ['get', 'isAlone'], ifMarked(9, 6), 0]],
          'circle-stroke-color': colors.background,
          'circle-stroke-width': ['step', ['zoom'], 1, shapesFrom, ['case', ['get', 'isAlone'], 1, 0]],
        },
      },
    ],
  };
}

/** Pale, so that parcels stand out. In dark colours the brightness is turned round, and the hues are turned back. */
const streetPaint = {
  light: { 'raster-saturation': -0.4, 'raster-opacity': 0.8 },
  dark: {
    'raster-brightness-min': 1,
    'raster-brightness-max': 0,
    'raster-hue-rotate': 180,
    'raster-saturation': -0.4,
    'raster-opacity': 0.7,
  },
};

/** As the page's theme has them. */
export interface MapColors {
  isDark: boolean;
  background: string;
  parcel: string;
  drawn: string;
}

const tileLayers = ({ fips }: TileSet, { parcel }: MapColors): LayerSpecification[] => [
  {
    id: `small-${fips}`,
    type: 'fill',
    source: fips,
    'source-layer': 'small',
    paint: { 'fill-color': parcel, 'fill-opacity': 0.3, 'fill-antialias': false },
  },
  {
    id: `parcels-${fips}`,
    type: 'fill',
    source: fips,
    'source-layer': 'parcels',
    paint: { 'fill-color': parcel, 'fill-opacity': ifMarked(0.6, 0.18) },
  },
  {
    id: `lines-${fips}`,
    type: 'line',
    source: fips,
    'source-layer': 'parcels',
    minzoom: outlinesFrom,
    paint: {
      'line-color': parcel,
      'line-opacity': 0.8,
      'line-width': ['interpolate', ['linear'], ['zoom'], outlinesFrom, 0.4, 18, ifMarked(4, 1.5)],
    },
  },
];

const ifMarked = (marked: number, otherwise: number): ExpressionSpecification => [
  'case',
  ['boolean', ['feature-state', 'isMarked'], false],
  marked,
  otherwise,
];

const shapesOf = (drawn: DrawnParcel[]): FeatureCollection => ({
  type: 'FeatureCollection',
  features: drawn.flatMap(({ key, geometry }) => (geometry ? [{ type: 'Feature', properties: { key }, geometry }] : [])),
});

const pointsOf = (drawn: DrawnParcel[]): FeatureCollection => ({
  type: 'FeatureCollection',
  features: drawn.flatMap((parcel) => {
    const bounds = boundsOf(parcel);
    if (!bounds) return [];
    const [west, south, east, north] = bounds;
    const properties = { key: parcel.key, isAlone: parcel.geometry === null };
    return [
      { type: 'Feature' as const, properties, geometry: { type: 'Point' as const, coordinates: [(west + east) / 2, (south + north) / 2] } },
    ];
  }),
});
