import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, refusal } from '../../../../core/errors.js';
import type { FetchedSource, FetchOptions, SourceState } from '../fetched-source.js';
import { safeName } from '../file-name.js';
import { parseAddress, type WebClient } from '../web-client.js';
import { collectRecords } from './collect-records.js';
import type { Layer } from './layer.js';
import { LayerService } from './layer-service.js';
import { RecordFile } from './record-file.js';

/** A layer's state at a moment: the fetch is of one state if this is the same before and after. */
interface State {
  layer: Layer;
  total: number | null;
}

// More missing records than this share make the fetch fail.
const maxMissingShare = 0.001;

/** Fetches all records of a layer into one file of Esri JSON, in the layer's own coordinates, with words beside codes. */
export async function fetchLayer(url: string, directory: string, client: WebClient, options: FetchOptions): Promise<FetchedSource> {
  const service = serviceAt(url, client);
  const notes: string[] = [];
  let before = await stateOf(service);
  for (let run = 1; ; run++) {
    if (before.total === 0) throw refusal(`The layer ${before.layer.name} has no records.`);
    await using file = await RecordFile.open(
      directory,
      planOf(`${service.url} ${service.whereOf()}`, before),
      before.layer.idField,
      client.limits.diskBytes,
    );
    await collectRecords({ service, ...before, file, log: options.log, onProgress: options.onProgress });
    const after = await stateOf(service);
    const hasChanged = planOf('', after) !== planOf('', before);
    if (hasChanged && run === 1) {
      notes.push('The data changed while it was fetched, and was fetched again.');
      before = after;
      continue;
    }
    if (hasChanged) notes.push('It changed again, so some records may be older than others.');
    notes.push(...notesOn(file, after.total, service.concessions));
    const path = join(directory, `${safeName(before.layer.name)}.json`);
    const { records } = file.progress;
    const sha256 = await file.finish(path);
    return { path, records, bytes: (await stat(path)).size, sha256, sourceDate: dayOf(after.layer), etag: null, notes };
  }
}

export async function checkLayer(url: string, client: WebClient): Promise<Partial<SourceState>> {
  const { layer, total } = await stateOf(serviceAt(url, client));
  return { name: layer.name, records: total, changedAt: dayOf(layer) };
}

async function stateOf(service: LayerService): Promise<State> {
  const layer = await service.describe();
  return { layer, total: await service.count() };
}

/** The facts that the pages of an earlier run must share with this one's. */
const planOf = (url: string, { layer, total }: State): string =>
  JSON.stringify([url, layer.lastEditMs, total, layer.wkid, layer.fields, layer.codedFields.map(({ wordsName }) => wordsName)]);

/** @throws AppError if the file lacks too many of the records that the server counts */
function notesOn({ progress }: RecordFile, total: number | null, concessions: string[]): string[] {
  const { records, repeated, unreadable, shapeless } = progress;
  const missing = Math.max(0, (total ?? 0) - records);
  const counts = `The server counts ${total} records, but returned ${records}.`;
  if (missing > (total ?? 0) * maxMissingShare) throw new AppError('unavailable', `${counts} Fetch again to get the others.`);
  const questions = [...(wayWords[progress.way] ?? []), ...concessions];
  return [
    ...(questions.length > 0 ? [`The server needed other questions than usual: ${questions.join(', ')}.`] : []),
    ...(total === null ? ['The server does not count its records, so nothing shows whether all of them arrived.'] : []),
    ...(total !== null && total !== records ? [counts] : []),
    ...(repeated > 0 ? [`${repeated} records arrived more than once and were kept once.`] : []),
    ...(shapeless.length > 0
      ? [`The server failed on the shapes of these records, which were loaded without them: ${listOf(shapeless)}.`]
      : []),
    ...(unreadable.length > 0 ? [`The server failed on these records, which are missing: ${listOf(unreadable)}.`] : []),
  ];
}

const wayWords: Record<string, string[]> = { offset: ['by pages'], ranges: ['by ranges of object ids'], areas: ['by areas'] };

const listOf = (numbers: number[]): string => `${numbers.slice(0, 10).join(', ')}${numbers.length > 10 ? ', …' : ''} (${numbers.length})`;

const dayOf = ({ lastEditMs }: Layer): string | null => (lastEditMs === null ? null : new Date(lastEditMs).toISOString().slice(0, 10));

/** The layer itself: people copy the address of its query form as well, whose `where` picks a county out of a state's layer. */
function serviceAt(text: string, client: WebClient): LayerService {
  const url = parseAddress(text);
  const where = url.searchParams.get('where') || null;
  url.search = '';
  url.pathname = url.pathname.replace(/(\/query)?\/*$/i, '');
  return new LayerService(client, url.href, where === '1=1' ? null : where);
}
