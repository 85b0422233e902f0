import type { Logger } from 'pino';
import type { Config } from '../../../core/config.js';

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
  /** Secrets for servers, as `host:port Header: value` (SOURCE_HEADERS). They are sent to no other server, and never without https. */
  headers?: string[];
  /** Default: 4. One request runs at a time. */
  requestsPerSecond?: number;
  /** Tests shorten these. */
  limits?: Partial<FetchLimits>;
}

/** The settings for county data servers. */
export const sourceAccess = ({ sourcePrivateHosts, sourceHeaders }: Pick<Config, 'sourcePrivateHosts' | 'sourceHeaders'>) => ({
  allowedPrivateHosts: sourcePrivateHosts,
  headers: sourceHeaders,
});

export interface FetchLimits {
  /** Tries of one request before a fault is final. */
  tries: number;
  /** The wait before the second try; doubled for each further one. */
  backoffMs: number;
  /** The longest that one request waits between its tries in total, even if `Retry-After` asks for more. */
  waitMs: number;
  /** Silence after which a connection is given up. */
  silenceMs: number;
  /** How long one JSON answer may take. */
  answerMs: number;
  /** How long a file may take. */
  downloadMs: number;
  /** The limit for a JSON answer, unpacked. */
  answerBytes: number;
  /** The limit for a fetch on the disk, beside the reserve that stays. */
  diskBytes: number;
}

export interface FetchedSource {
  /** A file that `openSources` reads. */
  path: string;
  /** Null for a downloaded file. */
  records: number | null;
  bytes: number;
  /** The hash of the file, in hex. */
  sha256: string;
  /** YYYY-MM-DD as the source states it: the layer's last edit, or Last-Modified. */
  sourceDate: string | null;
  etag: string | null;
  /** Sentences to show about dropped, repeated or changed data. */
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
