import { refusal } from '../../../../core/errors.js';
import { type CodedField, codedFieldsOf, type DomainsJson } from './coded-words.js';

/** A layer's description of itself, as far as a fetch needs it. */
export interface Layer {
  name: string;
  fields: { name: string; type: string }[];
  codedFields: CodedField[];
  /** Null for a layer without object ids. */
  idField: string | null;
  /** Null for a table without shapes. */
  geometryType: string | null;
  /** The layer's own system: a server that reprojects may choose a datum shift of its own, or none. */
  wkid: number | null;
  /** Where its records lie, in the system `wkid` of its own. */
  extent: { box: Box; wkid: number | null } | null;
  maxRecords: number;
  mayPage: boolean;
  mayOrder: boolean;
  lastEditMs: number | null;
}

export interface LayerJson extends DomainsJson {
  name?: string;
  type?: string;
  layers?: { id: number; name: string }[];
  objectIdField?: string;
  geometryType?: string;
  capabilities?: string;
  maxRecordCount?: number;
  supportsPagination?: boolean;
  advancedQueryCapabilities?: { supportsPagination?: boolean; supportsOrderBy?: boolean };
  extent?: Partial<Record<'xmin' | 'ymin' | 'xmax' | 'ymax', number>> & { spatialReference?: { wkid?: number } };
  sourceSpatialReference?: { wkid?: number };
  editingInfo?: { lastEditDate?: number; dataLastEditDate?: number };
}

export type Box = [west: number, south: number, east: number, north: number];

const defaultMaxRecords = 1000;

/** @throws AppError if this is no layer whose records can be asked for */
export function layerOf(json: LayerJson, url: string): Layer {
  const { layers, fields, type, capabilities, advancedQueryCapabilities: advanced } = json;
  if (Array.isArray(layers) && !fields) {
    const names = layers.slice(0, 20).map(({ id, name }) => `${id} (${name})`);
    throw refusal(`${url} is a whole service. Add the number of its layer: ${names.join(', ')}.`);
  }
  if (!Array.isArray(fields) || fields.length === 0) throw refusal(`${url} is not a layer with records${type ? `, but a ${type}` : ''}.`);
  if (capabilities && !/\bQuery\b/i.test(capabilities))
    throw refusal(`The layer ${json.name ?? url} can be viewed, but does not let anyone query its records. Ask the county for a file.`);
  return {
    name: json.name ?? 'layer',
    fields: fields.map(({ name, type: kind }) => ({ name, type: kind })),
    codedFields: codedFieldsOf(json),
    idField: json.objectIdField || fields.find((field) => field.type === 'esriFieldTypeOID')?.name || null,
    geometryType: json.geometryType || null,
    wkid: json.sourceSpatialReference?.wkid ?? json.extent?.spatialReference?.wkid ?? null,
    extent: extentOf(json),
    maxRecords: json.maxRecordCount && json.maxRecordCount > 0 ? json.maxRecordCount : defaultMaxRecords,
    mayPage: advanced?.supportsPagination ?? json.supportsPagination ?? false,
    mayOrder: advanced?.supportsOrderBy ?? true,
    lastEditMs: json.editingInfo?.dataLastEditDate ?? json.editingInfo?.lastEditDate ?? null,
  };
}

function extentOf({ extent }: LayerJson): Layer['extent'] {
  const box = [extent?.xmin, extent?.ymin, extent?.xmax, extent?.ymax];
  return box.every(Number.isFinite) ? { box: box as Box, wkid: extent!.spatialReference?.wkid ?? null } : null;
}
