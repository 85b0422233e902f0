import { rm } from 'node:fs/promises';
import { checkLayer, fetchLayer } from './arcgis/fetch-layer.js';
import { checkDownload, download } from './download.js';
import type { CountySource, FetchedSource, FetchOptions, SourceState } from './fetched-source.js';
import { diskFull, FetchDiscarded, isDiskFull } from './source-fault.js';
import { WebClient } from './web-client.js';

export type { CountySource, FetchedSource, FetchOptions, SourceProtocol, SourceState } from './fetched-source.js';

/**
 * Fetches a county's data into a file in a directory, which is created if needed. A stopped fetch continues there when called again with
 * the same source and directory. Two fetches must not share a directory at the same time.
 * @throws AppError `unavailable` if the server fails for the moment: call again to continue; `invalid_request` if it can't be fetched so.
 * The signal's reason when it aborts
 */
export async function fetchSource(source: CountySource, directory: string, options: FetchOptions): Promise<FetchedSource> {
  using client = new WebClient(options);
  try {
    return await (source.protocol === 'arcgis' ? fetchLayer : download)(source.url, directory, client, options);
  } catch (error) {
    const discarded = isDiskFull(error) ? diskFull(error) : error;
    if (discarded instanceof FetchDiscarded) await rm(directory, { recursive: true, force: true });
    throw discarded;
  }
}

/** Asks a source for its state without fetching it. Why it can't be asked, or a server's fault, is the state's `problem`. */
export async function checkSource(source: CountySource, options: FetchOptions): Promise<SourceState> {
  using client = new WebClient(options);
  const unknown = { answers: true, problem: null, records: null, changedAt: null, name: null, bytes: null };
  try {
    return { ...unknown, ...(await (source.protocol === 'arcgis' ? checkLayer : checkDownload)(source.url, client)) };
  } catch (error) {
    options.signal?.throwIfAborted();
    return { ...unknown, answers: false, problem: (error as Error).message };
  }
}
