import type { Logger } from 'pino';
import { AppError, refusal } from '../../../../core/errors.js';
import type { FetchOptions } from '../fetched-source.js';
import { FetchDiscarded, mayAskOtherwise } from '../source-fault.js';
import type { Box, Layer } from './layer.js';
import { GaveUp, type LayerService, type Page, type Query } from './layer-service.js';
import type { RecordFile } from './record-file.js';

export interface Collection {
  service: LayerService;
  layer: Layer;
  file: RecordFile;
  /** The server's count, or null. */
  total: number | null;
  onProgress: FetchOptions['onProgress'];
  log: Logger;
}

/** This way of asking does not suit the server. */
class Unsuited extends Error {}

// After so many pages without a new record, the server gives the same page again and again.
const maxPagesInVain = 3;

// A stated number may be old. Without one, no county has as many parcels.
const maxRecords = (total: number | null): number => (total === null ? 20_000_000 : total * 1.1 + 1_000);

// A county of 100 km is then split into boxes of 6 mm.
const maxSplits = 24;

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
 * which costs requests where no ids are, and then areas, which are split until their records come at once.
 */
export async function collectRecords(collection: Collection): Promise<void> {
  const { progress } = collection.file;
  const { way, position } = progress;
  let reason: Error | undefined;
  for (const [name, collect] of Object.entries({ ids: byIds, offset: byOffset, ranges: byRanges, areas: byAreas })) {
    progress.way = name;
    progress.unreadable = [];
    try {
      return await collect(collection, name === way ? position : 0);
    } catch (error) {
      const isWithoutRecords = error instanceof GaveUp || mayAskOtherwise(error);
      if (!(error instanceof Unsuited || (isWithoutRecords && progress.records === 0))) throw error;
      const { message } = error as Error;
      collection.log.info({ reason: message, way: name }, 'a county source does not answer this way; trying another');
      if (!(reason instanceof AppError)) reason = error as Error;
    }
  }
  if (progress.records === 0) throw reason instanceof AppError ? reason : refusal(`The layer gives no records: ${reason!.message}.`);
}

async function byIds(collection: Collection): Promise<void> {
  const { layer, file, service, total } = collection;
  const field = layer.idField;
  const ids = field && (await service.ids());
  if (!ids) throw new Unsuited('it has no list of object ids');
  if (total === null ? ids.length === layer.maxRecords : ids.length < total && ids.length <= layer.maxRecords)
    throw new Unsuited('its list of object ids is cut');
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
        size.current = fewer(asked.length, collection);
        continue;
      } else await keepShapeless(collection, () => ({ where: service.whereOf(range(field, asked[0]!, asked[0]!)) }), asked[0]!);
      at += asked.length;
    }
  }
}

async function byOffset(collection: Collection, from: number): Promise<void> {
  const { layer, file, service, total } = collection;
  if (!layer.mayPage) throw new Unsuited('it has no paging');
  const size = new PageSize(layer.maxRecords);
  for (let offset = from, inVain = 0; inVain < maxPagesInVain; ) {
    const query = (resultRecordCount: number) => () => ({ where: service.whereOf(), resultOffset: offset, resultRecordCount });
    const page = await askFor(collection, query(size.current), size.current > 1);
    if (page) {
      if (page.features.length === 0) break;
      offset += page.features.length;
      inVain = (await keep(collection, page, offset)) === 0 ? inVain + 1 : 0;
      if (total !== null && file.progress.records >= total && !page.isCut) break;
      size.grow(page.features.length, page.bytes);
    } else if (size.current > 1) size.current = fewer(size.current, collection);
    else await keepShapeless(collection, query(1), offset, ++offset);
  }
  if (total !== null && file.progress.records + file.progress.unreadable.length < total) throw new Unsuited('its pages overlap');
}

async function byRanges(collection: Collection, from: number): Promise<void> {
  const { layer, service, file, total } = collection;
  const field = layer.idField;
  const stated = field ? await service.idBounds(field) : null;
  if (!field || (!stated && total === null)) throw new Unsuited('it does not say which object ids it has');
  const [least, greatest] = stated ?? [0, 2 ** 31 - 1];
  for (let low = Math.max(from, least), width = layer.maxRecords; low <= greatest; ) {
    if (!stated && file.progress.records >= total!) return;
    const page = await askForRange(collection, field, low, low + width - 1);
    // Without an order, a page that is cut may lack any of its records.
    if (page && (service.isOrdered || !page.isCut || width === 1)) {
      // A page may be cut without a word, so the next range begins right after the last record that came.
      const last = page.features.reduce((max, { attributes }) => Math.max(max, Number(attributes[field])), low);
      low = page.features.length > 0 ? last + 1 : low + width;
      await keep(collection, page, low);
      if (page.features.length * 4 < layer.maxRecords) width *= 2;
    } else if (width > 1) width = fewer(width, collection);
    else {
      const id = low;
      await keepShapeless(collection, () => ({ where: service.whereOf(range(field, id, id)) }), id, ++low);
    }
  }
}

/** The layer's extent, in quarters of quarters. */
async function byAreas(collection: Collection): Promise<void> {
  const { layer, service, file, total } = collection;
  if (!layer.extent) throw new Unsuited('it does not say where its records lie');
  const { box: whole, wkid: inSR } = layer.extent;
  const areas: { box: Box; splits: number }[] = [{ box: whole, splits: 0 }];
  let largest = 0;
  for (let area = areas.pop(); area && (total === null || file.progress.records < total); area = areas.pop()) {
    const { box, splits } = area;
    const at = { geometry: box.join(), geometryType: 'esriGeometryEnvelope', spatialRel: 'esriSpatialRelIntersects', inSR };
    const page = await askFor(collection, () => ({ where: service.whereOf(), ...at }), true);
    if (page) await keep(collection, page);
    else if (splits === maxSplits) throw new AppError('unavailable', 'The server fails on an area of the layer. Try again later.');
    // A page of the largest size may be cut without a word.
    const isWhole = page && !page.isCut && page.features.length < Math.max(1, largest);
    largest = Math.max(largest, page?.features.length ?? 0);
    if (!isWhole && splits < maxSplits && (page === null || page.features.length > 0))
      areas.push(...quarters(box).map((quarter) => ({ box: quarter, splits: splits + 1 })));
  }
}

function quarters([west, south, east, north]: Box): Box[] {
  const [x, y] = [(west + east) / 2, (south + north) / 2];
  return [
    [west, south, x, y],
    [x, south, east, y],
    [west, y, x, north],
    [x, y, east, north],
  ];
}

/** Before the first record, a server that refuses for good is known after a few questions. */
const fewer = (records: number, { service }: Collection): number => Math.ceil(records / (service.hasGiven ? 2 : 4));

const range = (field: string, first: number, last: number): string =>
  first === last ? `${field} = ${first}` : `${field} >= ${first} AND ${field} <= ${last}`;

async function askForRange(collection: Collection, field: string, first: number, last: number): Promise<Page | null> {
  const page = await askFor(collection, () => ({ where: collection.service.whereOf(range(field, first, last)) }), first < last);
  const isOutside = (id: unknown): boolean => typeof id === 'number' && (id < first || id > last);
  if (page?.features.some(({ attributes }) => isOutside(attributes[field]))) throw new Unsuited('it ignores which records are asked for');
  return page;
}

/** Null if the server can't give these records, at least not so many at once. */
async function askFor({ service, layer }: Collection, query: () => Query, mayAskForFewer: boolean): Promise<Page | null> {
  const common: Query = {
    outFields: '*',
    returnGeometry: layer.geometryType !== null,
    outSR: layer.wkid,
    // Servers turn arcs into lines if they can, and otherwise ignore it.
    returnTrueCurves: false,
    returnZ: false,
    returnM: false,
  };
  try {
    return await service.page(() => ({ ...common, ...query() }), mayAskForFewer);
  } catch (error) {
    if (mayAskOtherwise(error)) return null;
    throw error;
  }
}

/** @returns how many records were new */
async function keep({ layer, file, total, onProgress }: Collection, page: Page, position?: number): Promise<number> {
  for (const { attributes } of page.features) {
    for (const { name, wordsName, wordOf } of layer.codedFields) attributes[wordsName] = wordOf(attributes[name], attributes) ?? null;
  }
  const added = await file.add(page.features, headOf(layer, page.spatialReference), position);
  if (file.progress.records > maxRecords(total))
    throw new FetchDiscarded(
      `The server gives records without an end: ${file.progress.records}${total === null ? '' : `, and counts ${total}`}. They were deleted.`,
    );
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
async function keepShapeless(collection: Collection, query: () => Query, number: number, position?: number): Promise<void> {
  const { service, file, total } = collection;
  const { shapeless, unreadable } = file.progress;
  try {
    const page = await service.page(() => ({ outFields: '*', ...query(), returnGeometry: false }), false);
    shapeless.push(number);
    await keep(collection, page, position);
  } catch (error) {
    if (!mayAskOtherwise(error)) throw error;
    unreadable.push(number);
  }
  const failures = shapeless.length + unreadable.length;
  if (failures > maxFailures(total ?? file.progress.records))
    throw new AppError('unavailable', `The server fails on ${failures} or more records. Try again later.`);
}
