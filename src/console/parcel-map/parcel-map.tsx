import { Alert, Text, useComputedColorScheme } from '@mantine/core';
import { Map as MapLibre, NavigationControl, type PointLike, ScaleControl, setWorkerUrl } from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import 'maplibre-gl/dist/maplibre-gl.css';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { site } from '../site.js';
import { type Bounds, boundsOf, type DrawnParcel } from './drawn-parcel.js';
import { drawnLayers, layersOf, minZoom, styleOf, type TileSet } from './map-style.js';
import classes from './parcel-map.module.css';

// From our own origin, as the content security policy demands.
setWorkerUrl(workerUrl);

/** The target of a pointer: a parcel whose record is known, or the parcels of a county that lie there, one upon the other. */
export type Pick = { key: string } | { fips: string; apns: (string | null)[] };

interface ParcelMapProps {
  /** The name of the map for screen readers. */
  label: string;
  tiles: TileSet[];
  drawn: DrawnParcel[];
  /** The first view. */
  bounds: Bounds;
  /** Shown in a stronger colour. */
  marked?: Pick | null;
  /** A place, or the key of a drawn parcel; the map moves there, if it is out of view. */
  shown?: Bounds | string | null;
  onPick: (pick: Pick | null) => void;
  onHover?: (key: string | null) => void;
  /** The moment to ask whether the releases are still current: MapLibre keeps to itself that a tile is not found. */
  onMoved?: () => void;
  /** Shown instead if the browser cannot draw the map. */
  otherwise: ReactNode;
}

/** Parcels on a map that is drawn by the graphics card, over the operator's street map, if there is one. */
export default function ParcelMap({ label, tiles, drawn, bounds, marked, shown, onPick, onHover, onMoved, otherwise }: ParcelMapProps) {
  const box = useRef<HTMLDivElement>(null);
  const [map, setMap] = useState<MapLibre>();
  const [fault, setFault] = useState<'unable' | 'incomplete'>();
  const camera = useRef<{ center: [number, number]; zoom: number }>(undefined);
  const scheme = useComputedColorScheme('light');
  const picked = useEffectEvent(onPick);
  const hovered = useEffectEvent((key: string | null) => onHover?.(key));
  const moved = useEffectEvent(() => onMoved?.());

  // biome-ignore lint/correctness/useExhaustiveDependencies: another scheme has other colours; the first view is for the first time only
  useEffect(() => {
    const element = box.current!;
    let made: MapLibre;
    try {
      made = new MapLibre({
        container: element,
        style: styleOf(tiles, drawn, { ...colorsOf(element), isDark: scheme === 'dark' }),
        ...(camera.current ?? { bounds, fitBoundsOptions: { padding: 32, maxZoom: 18 } }),
        minZoom,
        maxZoom: 20,
        maxPitch: 0,
        dragRotate: false,
        renderWorldCopies: false,
        attributionControl: site.basemapUrl ? {} : false,
        // Our pages tell other sites nothing, but sources of tiles refuse what does not say whose page asks.
        transformRequest: (url) => (url.startsWith(window.location.origin) ? { url } : { url, referrerPolicy: 'origin' }),
        cooperativeGestures: true,
        fadeDuration: 0,
        locale: { 'Map.Title': label },
      });
    } catch {
      setFault('unable');
      return;
    }
    made.touchZoomRotate.disableRotation();
    made.keyboard.disableRotation();
    made.addControl(new NavigationControl({ showCompass: false }));
    made.addControl(new ScaleControl({ unit: 'imperial' }));
    const canvas = made.getCanvas();
    made.on('error', () => setFault('incomplete'));
    made.on('click', ({ point }) => pickAt(point));
    made.on('mousemove', ({ point }) => {
      const found = pickOf(made, tiles, point);
      canvas.style.cursor = found ? 'pointer' : '';
      hovered(found && found !== 'small' && 'key' in found ? found.key : null);
    });
    made.on('mouseout', () => hovered(null));
    made.on('moveend', () => {
      const { lng, lat } = made.getCenter();
      camera.current = { center: [lng, lat], zoom: made.getZoom() };
      moved();
    });
    const onKey = ({ key }: KeyboardEvent) => key === 'Enter' && pickAt([canvas.clientWidth / 2, canvas.clientHeight / 2]);
    canvas.addEventListener('keydown', onKey);
    made.once('load', () => setMap(made));
    // Tells tests and screen readers that all of it is drawn, and rests.
    made.on('idle', () => element.setAttribute('aria-busy', 'false'));
    for (const type of ['dataloading', 'movestart'] as const) made.on(type, () => element.setAttribute('aria-busy', 'true'));

    function pickAt(point: PointLike) {
      const found = pickOf(made, tiles, point);
      if (found === 'small') made.easeTo({ center: made.unproject(point), zoom: made.getZoom() + 2 });
      else picked(found);
    }
    return () => {
      setMap(undefined);
      made.remove();
    };
  }, [tiles, drawn, scheme]);

  useEffect(() => {
    // A map that was removed, since what is drawn has changed, has no style.
    if (!map?.style || !marked) return;
    const targets =
      'key' in marked
        ? ['shapes', 'points'].map((source) => ({ source, id: marked.key }))
        : marked.apns.flatMap((apn) => (apn === null ? [] : [{ source: marked.fips, sourceLayer: 'parcels', id: apn }]));
    for (const target of targets) map.setFeatureState(target, { isMarked: true });
    return () => void targets.filter(() => map.style).forEach((target) => void map.removeFeatureState(target));
  }, [map, marked]);

  useEffect(() => {
    const parcel = drawn.find(({ key }) => key === shown);
    const place = typeof shown === 'string' ? parcel && boundsOf(parcel) : shown;
    if (!map?.style || !place) return;
    const view = map.getBounds();
    const isInView = view.contains([place[0], place[1]]) && view.contains([place[2], place[3]]);
    if (!isInView || map.getZoom() < 15) map.fitBounds(place, { padding: 80, maxZoom: 17 });
  }, [map, drawn, shown]);

  if (fault === 'unable') {
    return (
      <Alert role="alert" title="This browser cannot draw the map">
        The map needs WebGL 2, which is switched off here or missing. {otherwise}
      </Alert>
    );
  }
  return (
    <>
      <div ref={box} className={classes.map} aria-busy="true" />
      {fault === 'incomplete' && (
        <Text size="sm" role="status" mt={4}>
          Part of the map could not be loaded. Move the map to try again.
        </Text>
      )}
    </>
  );
}

/** `small`: only squares that stand for parcels too small for this zoom. */
function pickOf(map: MapLibre, tiles: TileSet[], point: PointLike): Pick | 'small' | null {
  // Before the style is there, nothing can be asked for.
  if (!map.isStyleLoaded()) return null;
  const [first] = map.queryRenderedFeatures(point, { layers: drawnLayers });
  if (first) return { key: first.properties.key };
  const found = map.queryRenderedFeatures(point, { layers: tiles.flatMap(layersOf) });
  const fips = found.find(({ sourceLayer }) => sourceLayer === 'parcels')?.source;
  if (fips === undefined) return found.length > 0 ? 'small' : null;
  const apns = found
    .filter(({ source, sourceLayer }) => source === fips && sourceLayer === 'parcels')
    .map(({ properties }) => properties.apn ?? null);
  return { fips, apns: [...new Set<string | null>(apns)] };
}

function colorsOf(element: HTMLElement) {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(name).trim();
  return { background: color('--mantine-color-body'), parcel: color('--series-1'), drawn: color('--series-2') };
}
