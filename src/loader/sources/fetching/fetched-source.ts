import type { Logger } from 'pino';
import type { WebLimits } from './web-client.js';

/** `arcgis`: the address of a layer (…/MapServer/12, …/FeatureServer/0); `http`: that of a file. */
export type SourceProtocol = 'arcgis' | 'http';

/** Where a county publishes its parcels. */
export interface CountySource {
  url: string;
  protocol: SourceProtocol;
}

export interface FetchOptions {
  signal?: AbortSignal;
  onProgress?(done: { records: number; total: number | null; bytes: number }): void;
  log: Logger;
  /** `host:port` of servers that may be called although their address is private (SOURCE_PRIVATE_HOSTS). */
  allowedPrivateHosts: string[];
  /** Default: 4. One request runs at a time. */
  requestsPerSecond?: number;
  /** Tests shorten these. */
  limits?: Partial<WebLimits>;
}

export interface FetchedSource {
  /** A file that `openSources` reads. */
  path: string;
  /** Null for a downloaded file. */
  records: number | null;
  bytes: number;
  /** Of the file, in hex. */
  sha256: string;
  /** YYYY-MM-DD as the source states it: the layer's last edit, or Last-Modified. */
  sourceDate: string | null;
  etag: string | null;
  /** What was dropped, repeated or changed meanwhile, in sentences to show. */
  notes: string[];
}

export interface SourceState {
  answers: boolean;
  /** Why it can't be fetched, in a sentence to show. */
  problem: string | null;
  records: number | null;
  /** YYYY-MM-DD, as the source states it. */
  changedAt: string | null;
  /** The layer's name, or the file's. */
  name: string | null;
  bytes: number | null;
}
