import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { openServer } from './loopback-server.js';

interface EsriRecord {
  attributes: Record<string, unknown>;
  geometry?: object;
}

/** A layer, and how its server misbehaves. Tests change it at any time. */
export interface StandInLayer {
  /** Object ids, in the order in which an unordered answer gives them. */
  ids: number[];
  record(id: number): EsriRecord;
  /** Members of the layer's description beside the usual. */
  description: object;
  lastEditDate: number | null;
  spatialReference: object;
  /** The page size that `maxRecordCount` claims, and the real one. */
  claimedRecords: number;
  cap: number;
  /** Whether a cut answer says so. */
  saysCut: boolean;
  /** `ignored`: claimed, but the first page comes again and again; `overlapping`: each page starts 5 records too early. */
  paging: 'works' | 'unsupported' | 'ignored' | 'overlapping';
  hasIdList: boolean;
  hasStatistics: boolean;
  hasRanges: boolean;
  counts: boolean;
  isGzipped: boolean;
  /** Which questions it refuses, although it advertises them. */
  refuses: (query: URLSearchParams) => boolean;
  /** Answers in place of the service, or returns null. */
  intercept: (asked: Asked) => Answer | null;
}

export type Answer = (response: ServerResponse) => unknown;

interface Asked {
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** The object ids that the answer would have. */
  ids: number[];
}

/** A stand-in for an ArcGIS server with one layer of parcels. */
export class ArcGisService {
  readonly asked: Asked[] = [];
  host = '';
  url = '';

  private constructor(public layer: StandInLayer) {}

  static async open(layer: Partial<StandInLayer> = {}): Promise<ArcGisService> {
    const service = new ArcGisService(standInLayer(layer));
    const { origin, host } = await openServer(({ headers }, response, { pathname, searchParams }) =>
      service.answer({ path: pathname, query: searchParams, headers }, response),
    );
    service.host = host;
    service.url = `${origin}/arcgis/rest/services/Parcels/MapServer/0`;
    return service;
  }

  /** The queries for records, not for counts and ids. */
  get pages(): URLSearchParams[] {
    return this.asked.map(({ query }) => query).filter((query) => query.has('outFields'));
  }

  /** Starts anew, with other properties. */
  set(layer: Partial<StandInLayer>): void {
    this.layer = standInLayer(layer);
    this.asked.length = 0;
  }

  private answer(request: Omit<Asked, 'ids'>, response: ServerResponse): void {
    const { path, query } = request;
    const { layer } = this;
    const found = layer.ids.filter(whereOf(query.get('where'), layer.hasRanges)).filter(this.within(query.get('geometry')));
    const ids = this.idsOfPage(found, query);
    const asked = { ...request, ids };
    this.asked.push(asked);
    const answer = layer.intercept(asked);
    if (answer) answer(response);
    else if (path.endsWith('/MapServer')) sendJson(response, { layers: [{ id: 0, name: 'Parcels' }] });
    else if (path.endsWith('/MapServer/0')) sendJson(response, this.description());
    else if (!path.endsWith('/query')) response.writeHead(404).end();
    else if (layer.refuses(query)) sendJson(response, { error: { code: 400, message: 'Unable to complete operation.' } });
    else if (query.get('returnCountOnly') === 'true' && layer.counts) sendJson(response, { count: found.length });
    else if (query.get('returnIdsOnly') === 'true' && layer.hasIdList)
      sendJson(response, { objectIdFieldName: 'OBJECTID', objectIds: found });
    else if (query.has('outStatistics') && layer.hasStatistics) {
      sendJson(response, { features: [{ attributes: { MIN_ID: Math.min(...layer.ids), MAX_ID: Math.max(...layer.ids) } }] });
    } else this.sendPage(response, ids, found.length, query);
  }

  /** Whether a record's first corner is in an envelope. */
  private within(envelope: string | null): (id: number) => boolean {
    const [west, south, east, north] = (envelope ?? '').split(',').map(Number) as [number, number, number, number];
    return (id) => {
      const { rings = [[[0, 0]]] } = (this.layer.record(id).geometry ?? {}) as { rings?: number[][][] };
      const [x, y] = rings[0]![0] as [number, number];
      return envelope === null || (x >= west && x <= east && y >= south && y <= north);
    };
  }

  private idsOfPage(found: number[], query: URLSearchParams): number[] {
    const { cap, paging } = this.layer;
    const start = paging === 'works' || paging === 'overlapping' ? Number(query.get('resultOffset') ?? 0) : 0;
    const size = Math.min(cap, Number(query.get('resultRecordCount') ?? cap));
    const ordered = query.has('orderByFields') ? found.toSorted((a, b) => a - b) : found;
    const from = paging === 'overlapping' ? Math.max(0, start - 5) : start;
    return ordered.slice(from, from + size);
  }

  private sendPage(response: ServerResponse, ids: number[], foundCount: number, query: URLSearchParams): void {
    const { layer } = this;
    const features = ids.map((id) => {
      const record = layer.record(id);
      return query.get('returnGeometry') === 'false' ? { attributes: record.attributes } : record;
    });
    const isCut = ids.length < foundCount && ids.at(-1) !== layer.ids.at(-1) && layer.saysCut;
    const page = { spatialReference: layer.spatialReference, ...(isCut && { exceededTransferLimit: true }), features };
    if (layer.isGzipped) response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(JSON.stringify(page)));
    else sendJson(response, page);
  }

  private description(): object {
    const { claimedRecords, paging, lastEditDate, spatialReference, description } = this.layer;
    return {
      name: 'Parcels',
      type: 'Feature Layer',
      geometryType: 'esriGeometryPolygon',
      objectIdField: 'OBJECTID',
      capabilities: 'Map,Query,Data',
      maxRecordCount: claimedRecords,
      fields: [
        { name: 'OBJECTID', type: 'esriFieldTypeOID' },
        { name: 'APN', type: 'esriFieldTypeString' },
        { name: 'SALE_DATE', type: 'esriFieldTypeDate', domain: null },
      ],
      extent: { xmin: -71.3, ymin: 42.3, xmax: -71, ymax: 42.5, spatialReference },
      advancedQueryCapabilities: { supportsPagination: paging !== 'unsupported', supportsOrderBy: true },
      ...(lastEditDate !== null && { editingInfo: { lastEditDate } }),
      ...description,
    };
  }
}

function standInLayer(layer: Partial<StandInLayer>): StandInLayer {
  return {
    ids: idsUpTo(24),
    record: parcel,
    description: {},
    lastEditDate: Date.UTC(2026, 2, 14, 15),
    spatialReference: { wkid: 4326, latestWkid: 4326 },
    claimedRecords: 10,
    cap: layer.claimedRecords ?? 10,
    saysCut: true,
    paging: 'works',
    hasIdList: true,
    hasStatistics: true,
    hasRanges: true,
    counts: true,
    isGzipped: false,
    refuses: () => false,
    intercept: () => null,
    ...layer,
  };
}

export const idsUpTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

/** A square in Middlesex County, Massachusetts, clockwise as in Esri's format. */
export function parcel(id: number): EsriRecord {
  const west = -71.11 - (id % 50) * 0.002;
  const south = 42.37 + Math.floor(id / 50) * 0.002;
  const ring = [
    [west, south],
    [west, south + 0.001],
    [west + 0.001, south + 0.001],
    [west + 0.001, south],
    [west, south],
  ];
  return { attributes: { OBJECTID: id, APN: `P-${id}`, SALE_DATE: Date.UTC(1975, 6, 4, 5) }, geometry: { rings: [ring] } };
}

export const sendJson = (response: ServerResponse, json: unknown): unknown =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(json));

/** Conditions on object ids, all of which hold. */
function whereOf(where: string | null, hasRanges: boolean): (id: number) => boolean {
  const conditions = hasRanges ? [...(where ?? '').matchAll(/OBJECTID (>=|<=|=) (-?\d+)/g)] : [];
  const holds = {
    '>=': (id: number, to: number) => id >= to,
    '<=': (id: number, to: number) => id <= to,
    '=': (id: number, to: number) => id === to,
  };
  return (id) => conditions.every(([, sign, to]) => holds[sign as keyof typeof holds](id, Number(to)));
}
