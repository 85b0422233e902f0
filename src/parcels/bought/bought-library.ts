import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Pool } from 'pg';
import { AppError } from '../../core/errors.js';
import type { BoughtArgs, BoughtPageArgs } from './bought.args.js';
import type { BoughtRecords, Queries } from './bought.js';
import { type BoughtRecord, type ExaminedRun, placeOf, readBought } from './bought-records.js';
import { findBought, latestReads } from './bought-runs.js';
import { type FileFormatName, fileFormats, writeFile } from './record-file.js';

const maxSearched = 20_000;
const maxWaiting = 8;

/** A file of records, which are read from the database as they are taken. */
export interface RecordFile {
  contentType: string;
  content: Readable;
}

/** The records that accounts paid for and received, to be found and downloaded for free. */
export class BoughtLibrary {
  private readonly downloading = new Set<string>();
  /** An account has one connection at a time, and leaves the other one to everybody else. */
  private readonly turns = new LRUCache<string, LimitFunction>({ max: 10_000, memoMethod: () => pLimit(1) });

  /** @param pool of its own, because files may be large */
  constructor(private readonly pool: Pool) {}

  /** @throws AppError as `findBought` */
  async page(accountId: string, { search, after = null, limit, ...filter }: BoughtPageArgs): Promise<BoughtRecords> {
    const db = this.queriesOf(accountId);
    const bought = await findBought(db, accountId, filter);
    const found: BoughtRecord[] = [];
    let [searched, last, next]: [number, ExaminedRun | null, string | null] = [0, null, null];
    for await (const examined of readBought(db, bought.runs, search, { after, limit })) {
      if (last && (found.length === limit || searched >= maxSearched)) {
        next = placeOf({ ...last.run, ordinal: last.run.first + last.run.count - 1 });
        break;
      }
      last = examined;
      searched += examined.run.count;
      found.push(...examined.records);
      if (found.length > limit) {
        found.length = limit;
        next = placeOf(found.at(-1)!);
        break;
      }
    }
    const latest = found.length === 0 ? [] : await latestReads(db, accountId, filter, found);
    const readOf = new Map(latest.map((read) => [`${read.releaseId}.${read.ordinal}`, read]));
    return {
      ...bought,
      recordsJson: `[${found.map(({ text }) => text).join(',')}]`,
      reads: found.map(({ releaseId, ordinal }) => readOf.get(`${releaseId}.${ordinal}`)!),
      next,
      searched,
    };
  }

  private queriesOf(accountId: string): Queries {
    const turn = this.turns.memo(accountId);
    if (turn.pendingCount >= maxWaiting)
      throw tooMany('Several such searches of your account are running. Try again when they have ended.');
    return { query: ((...query: Parameters<Pool['query']>) => turn(() => this.pool.query(...query))) as Pool['query'] };
  }

  /**
   * A file of all records that match. Until it is read or destroyed, the account gets no other file from this server.
   * @throws AppError as `findBought`, and too_many_requests
   */
  async file(accountId: string, format: FileFormatName, { search, ...filter }: BoughtArgs): Promise<RecordFile> {
    if (this.downloading.has(accountId)) {
      throw tooMany('Another download of your account is running. Try again when it has ended.');
    }
    this.downloading.add(accountId);
    const end = () => this.downloading.delete(accountId);
    try {
      const db = this.queriesOf(accountId);
      const { runs, notKept } = await findBought(db, accountId, filter);
      const { contentType } = fileFormats[format];
      const pieces = writeFile(fileFormats[format], readBought(db, runs, search), notKept);
      return { contentType, content: Readable.from(pieces, { highWaterMark: 1 }).once('close', end) };
    } catch (error) {
      end();
      throw error;
    }
  }
}

const tooMany = (message: string): AppError => new AppError('too_many_requests', message, { retryAfterSeconds: 10 });
