import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { feature } from 'topojson-client';
import type { GeometryObject, Topology } from 'topojson-specification';
import { AppError } from '../../../core/errors.js';
import { type LayerChoice, pickLayer } from '../layers.js';
import type { Source } from '../source.js';
import {
  brokenRow,
  type Properties,
  type ReadPosition,
  row,
  rowsPerBatch,
  type SourceBatch,
  type SourceGeometry,
  type SourceRow,
} from '../source-row.js';
import { decodeText } from '../text-encoding.js';
import { declaredCrs } from './json-crs.js';
import { withExactIntegers } from './long-integers.js';

// Shapes refer to arcs anywhere in the file, so the whole file is held in memory.
const maxBytes = 256 * 1024 ** 2;
const crsSearchLength = 100_000;

/** A TopoJSON file; its objects are the layers. */
export async function openTopoJson(path: string, choice: LayerChoice): Promise<Source> {
  const name = basename(path);
  const { size } = await stat(path);
  if (size > maxBytes) throw new AppError('invalid_request', `${name} is TopoJSON of more than 256 MB: convert it to GeoJSON.`);
  const text = decodeText(await readFile(path));
  const topology = parse(name, text);
  const layers = Object.entries(topology.objects).map(([layer, object]) => ({ name: layer, isSpatial: true, object }));
  const { object } = pickLayer(name, layers, choice);
  return {
    format: 'TopoJSON',
    name,
    files: [path],
    byteLength: size,
    crs: declaredCrs(text.slice(0, crsSearchLength), text.slice(-crsSearchLength)),
    warnings: [],
    read: (position) => readObjects(topology, object.type === 'GeometryCollection' ? object.geometries : [object], size, position),
    close: async () => {},
  };
}

function parse(name: string, text: string): Topology {
  try {
    const topology = JSON.parse(withExactIntegers(text)) as Topology;
    if (topology.type === 'Topology' && topology.objects && Array.isArray(topology.arcs)) return topology;
  } catch (cause) {
    throw new AppError('invalid_request', `${name} is cut or damaged: ${(cause as Error).message}.`, { cause });
  }
  throw new AppError('invalid_request', `${name} is not TopoJSON: it lacks objects or arcs.`);
}

async function* readObjects(
  topology: Topology,
  objects: GeometryObject<Properties | null>[],
  size: number,
  position: ReadPosition,
): AsyncIterable<SourceBatch> {
  for (let start = 0; start < objects.length; start += rowsPerBatch) {
    const batch = objects.slice(start, start + rowsPerBatch);
    position.bytesRead += (batch.length * size) / objects.length;
    yield batch.map((object, i) => rowOf(topology, object, start + i + 1));
  }
}

function rowOf(topology: Topology, object: GeometryObject<Properties | null>, number: number): SourceRow {
  try {
    const { properties, geometry } = feature(topology, object as GeometryObject<Properties>) as GeoJSON.Feature;
    return row(number, properties ?? {}, geometry as SourceGeometry | null);
  } catch {
    return brokenRow(number, 'Its shape consists of lines that the file does not hold', JSON.stringify(object));
  }
}
