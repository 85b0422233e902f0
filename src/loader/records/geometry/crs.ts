import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type proj4 from 'proj4';
import { refusal } from '../../../core/errors.js';
import { projectFile } from '../../../core/project-files.js';
import { datumOf, shifted } from './datum.js';
import { epsgSystems } from './epsg-systems.js';

/** Turns a position of the file into longitude and latitude in degrees of WGS84. */
export type ToWgs84 = (x: number, y: number) => [longitude: number, latitude: number];

export interface CoordinateSystem {
  /** The name that operators are shown. */
  name: string;
  /** Whether positions are already longitude and latitude. NAD83 and WGS84 are treated as one: they differ by about a metre. */
  isGeographic: boolean;
  toWgs84: ToWgs84;
  warnings: string[];
  /** The code by which the rows' geometries name it (EWKB, EWKT), if they do. */
  srid?: number;
}

export const wgs84: CoordinateSystem = {
  name: 'WGS84',
  isGeographic: true,
  toWgs84: (x, y) => [x, y],
  warnings: [],
};

// Loads what few files need: importing proj4 takes a tenth of a second.
const load = createRequire(import.meta.url);

// Esri's own codes for what EPSG calls 3857.
const webMercatorCodes = new Set(['3857', '900913', '102100', '102113', '3785']);

/**
 * Parses `EPSG:2249`, `ESRI:102686`, bare codes of either, OGC URNs and URLs, WKT (`.prj`) including compound systems, and PROJ strings.
 * @throws AppError for anything else
 */
export function coordinateSystem(stated: string): CoordinateSystem {
  return read(stated.trim());
}

/** The system of a file that writes latitude before longitude. */
export function withLatitudeFirst(crs: CoordinateSystem): CoordinateSystem {
  return { ...crs, toWgs84: (x, y) => [y, x] };
}

function read(text: string): CoordinateSystem {
  if (/crs:?84$|crs83$/i.test(text)) return wgs84;
  if (text.startsWith('+')) return fromDefinition(text, text);
  if (/^[A-Z_]+\s*[[(]/i.test(text)) return fromWkt(text);
  const code = /(\d{4,})$/.exec(text)?.[1];
  if (code) return fromCode(webMercatorCodes.has(code) ? '3857' : code);
  throw refusal(`The coordinate system ${JSON.stringify(text.slice(0, 60))} is not understood. Name it with --crs EPSG:….`);
}

function fromCode(code: string): CoordinateSystem {
  const entry = epsgEntry(code) ?? esriEntry(code);
  if (!entry) throw refusal(`EPSG:${code} is not a known EPSG or Esri code. Name the coordinate system with --crs EPSG:….`);
  const name = `${entry.authority}:${code} (${entry.name})`;
  const definition = entry.proj4 ?? entry.wkt;
  if (definition) return fromDefinition(name, definition);
  throw refusal(
    `The coordinate system ${name} can't be converted to longitude and latitude. Name another with --crs EPSG:…, or convert the file.`,
  );
}

interface Entry {
  authority: 'EPSG' | 'ESRI';
  name: string;
  proj4: string | null;
  wkt?: string | null;
}

function epsgEntry(code: string): Entry | null {
  const entry = epsgSystems()[code];
  return entry ? { authority: 'EPSG', ...entry } : null;
}

/** Esri has its own codes for systems of states and counties, most of them from 102000 on. */
function esriEntry(code: string): Entry | null {
  const entries = JSON.parse(readFileSync(projectFile('src/loader/records/geometry/esri-wkids.json'), 'utf8'));
  return entries[code] ? { authority: 'ESRI', ...entries[code] } : null;
}

// Heights are not used, so only the horizontal part of a compound system is read.
function fromWkt(text: string): CoordinateSystem {
  const start = text.search(/(PROJCS|PROJCRS|PROJECTEDCRS)\s*\[/i);
  const horizontal = firstBrackets(text, start >= 0 ? start : Math.max(0, text.search(/(GEOGCS|GEOGCRS|GEODCRS)\s*\[/i)));
  const name = /"([^"]*)"/.exec(horizontal)?.[1] ?? 'unnamed';
  return fromDefinition(name, horizontal);
}

function firstBrackets(text: string, start: number): string {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    if (text[i] === '[') depth++;
    else if (text[i] === ']' && --depth === 0) return text.slice(start, i + 1);
  }
  return text.slice(start);
}

/** @param definition WKT or a PROJ string */
function fromDefinition(name: string, definition: string): CoordinateSystem {
  const datum = datumOf(name, definition);
  const old = datum === 'unknown' ? null : datum;
  const warnings = warningsOf(name, datum);
  const isGeographic = !old && /^\+proj=longlat|^(GEOGCS|GEOGCRS|GEODCRS)/i.test(definition);
  if (isGeographic) return { ...wgs84, name, warnings };
  try {
    const project: typeof proj4 = load('proj4');
    const from = new project.Proj(old ? shifted(definition, old) : definition);
    const to = new project.Proj('WGS84');
    // Realisations of NAD83 and WGS84 differ by about a metre, and a county rarely says which one it uses. Some definitions include a
    // shift between the two, which would move the data without reason.
    if (!old) from.datum = to.datum;
    const converter = project(from, to);
    return { name, isGeographic: false, toWgs84: (x, y) => converter.forward([x, y]) as [number, number], warnings };
  } catch (error) {
    throw refusal(`The coordinate system ${name} is not understood: ${(error as Error).message ?? error}`, {
      cause: error,
    });
  }
}

function warningsOf(name: string, datum: ReturnType<typeof datumOf>): string[] {
  if (datum === null) return [];
  return datum === 'unknown'
    ? [`${name} is on a datum that is neither NAD83 nor WGS84, but is treated as one of them: places may be off by a few hundred meters.`]
    : [`${name} is on a datum from before 1983: positions are only accurate to about ten meters.`];
}
