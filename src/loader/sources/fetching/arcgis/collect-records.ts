import type { Logger } from 'pino';
import { AppError } from '../../../../core/errors.js';
import type { FetchOptions } from '../fetched-source.js';
import { SourceFault } from '../source-fault.js';
import type { Layer } from './layer.js';
import { GaveUp, type LayerService, type Page, type Query } from './layer-service.js';
import type { RecordFile } from './record-file.js';

export interface Collection {
  service: LayerService;
  layer: Layer;
  file: RecordFile;
  /** What the server counts, or null. */
  total: number | null;
  onProgress: FetchOptions['onProgress'];
  log: Logger;
}

/** This way of asking does not suit the server. */
class Unsuited extends Error {}

// After so many pages without a new record, the server gives the same page again and again.
const maxPagesInVain = 3;

/** After more records that can't be given, the fetch ends. */
const maxFailures = (total: number): number => Math.max(10, total / 1000);

const firstSize = 1000;
const maxSize = 10_000;
// A page is held in memory three times over: as bytes, as text and as values.
const aimedBytes = 4 * 1024 ** 2;

/** How many records to ask for at once: fewer after a fault, and more again step by step. */
class PageSize {
  current: number;
  private readonly max: number;

  constructor(maxRecords: number) {
    this.max = Math.min(maxRecords, maxSize);
    this.current = Math.min(this.max, firstSize);
  }

  grow(records: number, bytes: number): void {
    const fitting = records > 0 ? Math.floor((aimedBytes * records) / bytes) : this.max;
    this.current = Math.max(1, Math.min(this.max, fitting, Math.ceil(this.current * 1.25)));
  }
}

/**
 * Collects all records of a layer. The list of all ids comes first, because it shows which records of a range are missing. Servers without
 * one are read by offset, which repeats or skips records if their order changes. The last way is ranges from the smallest to the largest id,
 * which costs requests where no ids are.
 */
export async function collectRecords(collection: Collection): Promise<void> {
  const { progress } = collection.file;
  const { way, position } = progress;
  let reason: Error | undefined;
  for (const [name, collect] of Object.entries({ ids: byIds, offset: byOffset, ranges: byRanges })) {
    progress.way = name;
    progress.unreadable = [];
    try {
      return await collect(collection, name === way ? position : 0);
    } catch (error) {
      const isWithoutRecords = error instanceof GaveUp || (error instanceof SourceFault && error.kind !== 'busy');
      if (!(error instanceof Unsuited || (isWithoutRecords && progress.records === 0))) throw error;
      collection.log.info({ reason: error.message, way: name }, 'a county source does not answer this way; trying another');
      if (!(reason instanceof AppError)) reason = error;
    }
  }
  if (progress.records === 0)
    throw reason instanceof AppError ? reason : new AppError('invalid_request', `The layer gives no records: ${reason!.message}.`);
}

async function byIds(collection: Collection): Promise<void> {
  const { layer, file, service, total } = collection;
  const field = layer.idField;
  const ids = field && (await service.ids());
  if (!ids) throw new Unsuited('it has no list of object ids');
  if (total !== null && ids.length < total && ids.length <= layer.maxRecords) throw new Unsuited('its list of object ids is cut');
  const size = new PageSize(layer.maxRecords);
  const isMissing = (id: number): boolean => !file.seen.has(id) && !file.progress.unreadable.includes(id);
  let missing = ids.filter(isMissing);
  // A server that gives fewer than it claims leaves a gap in each range, which the next round asks for.
  for (let before = Number.POSITIVE_INFINITY; missing.length > 0 && missing.length < before; missing = missing.filter(isMissing)) {
    before = missing.length;
    for (let at = 0; at < missing.length; ) {
      const asked = missing.slice(at, at + size.current);
      const page = await askForRange(collection, field, asked[0]!, asked.at(-1)!);
      if (page) {
        await keep(collection, page);
        size.grow(page.features.length, page.bytes);
      } else if (asked.length > 1) {
        size.current = Math.ceil(asked.length / 2);
        continue;
      } else await keepShapeless(collection, { where: range(field, asked[0]!, asked[0]!) }, asked[0]!);
      at += asked.length;
    }
  }
}

async function byOffset(collection: Collection, from: number): Promise<void> {
  const { layer, file, total } = collection;
  if (!layer.mayPage) throw new Unsuited('it has no paging');
  const size = new PageSize(layer.maxRecords);
  for (let offset = from, inVain = 0; inVain < maxPagesInVain; ) {
    const query = { where: '1=1', resultOffset: offset };
    const page = await askFor(collection, { ...query, resultRecordCount: size.current }, size.current > 1);
    if (page) {
      if (page.features.length === 0) break;
      offset += page.features.length;
      inVain = (await keep(collection, page, offset)) === 0 ? inVain + 1 : 0;
      if (total !== null && file.progress.records >= total && !page.isCut) break;
      size.grow(page.features.length, page.bytes);
    } else if (size.current > 1) size.current = Math.ceil(size.current / 2);
    else await keepShapeless(collection, { ...query, resultRecordCount: 1 }, offset, ++offset);
  }
  if (total !== null && file.progress.records + file.progress.unreadable.length < total) throw new Unsuited('its pages overlap');
}

async function byRanges(collection: Collection, from: number): Promise<void> {
  const { layer, service } = collection;
  const field = layer.idField;
  const bounds = field && (await service.idBounds(field));
  if (!bounds) throw new Unsuited('it does not say which object ids it has');
  for (let low = Math.max(from, bounds[0]), width = layer.maxRecords; low <= bounds[1]; ) {
    const page = await askForRange(collection, field, low, low + width - 1);
    if (page) {
      // A page may be cut without a word, so the next range begins right after the last record that came.
      const last = page.features.reduce((max, { attributes }) => Math.max(max, Number(attributes[field])), low);
      low = page.features.length > 0 ? last + 1 : low + width;
      await keep(collection, page, low);
      if (page.features.length * 4 < layer.maxRecords) width *= 2;
    } else if (width > 1) width = Math.ceil(width / 2);
    else await keepShapeless(collection, { where: range(field, low, low) }, low, ++low);
  }
}

const range = (field: string, first: number, last: number): string =>
  first === last ? `${field} = ${first}` : `${field} >= ${first} AND ${field} <= ${last}`;

async function askForRange(collection: Collection, field: string, first: number, last: number): Promise<Page | null> {
  const page = await askFor(collection, { where: range(field, first, last) }, first < last);
  const isOutside = (id: unknown): boolean => typeof id === 'number' && (id < first || id > last);
  if (page?.features.some(({ attributes }) => isOutside(attributes[field]))) throw new Unsuited('it ignores which records are asked for');
  return page;
}

/** Null if the server can't give these records, at least not so many at once. */
async function askFor({ service, layer }: Collection, query: Query, mayAskForFewer: boolean): Promise<Page | null> {
  const common: Query = {
    outFields: '*',
    returnGeometry: layer.geometryType !== null,
    outSR: layer.wkid,
    // Servers turn arcs into lines if they can, and otherwise ignore it.
    returnTrueCurves: false,
    returnZ: false,
    returnM: false,
    orderByFields: layer.mayOrder && layer.idField ? `${layer.idField} ASC` : null,
  };
  try {
    return await service.page({ ...common, ...query }, mayAskForFewer);
  } catch (error) {
    if (error instanceof SourceFault && error.kind !== 'busy') return null;
    throw error;
  }
}

/** @returns how many records were new */
async function keep({ layer, file, total, onProgress }: Collection, page: Page, position?: number): Promise<number> {
  for (const { attributes } of page.features) {
    for (const { name, wordsName, wordOf } of layer.codedFields) attributes[wordsName] = wordOf(attributes[name], attributes) ?? null;
  }
  const added = await file.add(page.features, headOf(layer, page.spatialReference), position);
  onProgress?.({ records: file.progress.records, total, bytes: file.bytes });
  return added;
}

/** The members before the records, by which the file's reader knows dates and the coordinate system. */
function headOf({ geometryType, wkid, fields, codedFields }: Layer, stated: unknown): string {
  const words = codedFields.map(({ wordsName }) => ({ name: wordsName, type: 'esriFieldTypeString' }));
  const head = { geometryType, spatialReference: stated ?? (wkid ? { wkid } : null), fields: [...fields, ...words] };
  return `${JSON.stringify(head).slice(0, -1)},"features":[`;
}

/** Keeps a record without the shape that the server fails at, or notes that it is missing. */
async function keepShapeless(collection: Collection, query: Query, number: number, position?: number): Promise<void> {
  const { service, file, total } = collection;
  const { shapeless, unreadable } = file.progress;
  try {
    const page = await service.page({ outFields: '*', ...query, returnGeometry: false }, false);
    shapeless.push(number);
    await keep(collection, page, position);
  } catch (error) {
    if (!(error instanceof SourceFault) || error.kind === 'busy') throw error;
    unreadable.push(number);
  }
  const failures = shapeless.length + unreadable.length;
  if (failures > maxFailures(total ?? file.progress.records))
    throw new AppError('unavailable', `The server fails on ${failures} or more records. Try again later.`);
}
