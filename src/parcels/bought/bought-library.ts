import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Pool } from 'pg';
import { AppError } from '../../core/errors.js';
import type { BoughtArgs, BoughtPageArgs } from './bought.args.js';
import type { BoughtRecords } from './bought.js';
import { type BoughtRecord, type ExaminedRun, placeOf, readBought } from './bought-records.js';
import { BoughtRuns } from './bought-runs.js';
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
  private readonly runs: BoughtRuns;
  private readonly downloading = new Set<string>();
  /** A long ledger takes seconds: an account reads its own in one connection at a time, and leaves the other one to everybody else. */
  private readonly turns = new LRUCache<string, LimitFunction>({ max: 10_000, memoMethod: () => pLimit(1) });

  /** @param pool of its own, because files may be large */
  constructor(private readonly pool: Pool) {
    this.runs = new BoughtRuns(pool);
  }

  /** @throws AppError as `BoughtRuns.of` */
  async page(accountId: string, { search, after = null, limit, ...filter }: BoughtPageArgs): Promise<BoughtRecords> {
    const bought = await this.inTurn(accountId, () => this.runs.of(accountId, filter));
    const found: BoughtRecord[] = [];
    let [searched, last, next]: [number, ExaminedRun | null, string | null] = [0, null, null];
    for await (const examined of readBought(this.pool, bought.runs, search, { after, limit })) {
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
    const latest = found.length === 0 ? [] : await this.inTurn(accountId, () => this.runs.latestReads(accountId, filter, found));
    const readOf = new Map(latest.map((read) => [`${read.releaseId}.${read.ordinal}`, read]));
    return {
      ...bought,
      recordsJson: `[${found.map(({ text }) => text).join(',')}]`,
      reads: found.map(({ releaseId, ordinal }) => readOf.get(`${releaseId}.${ordinal}`)!),
      next,
      searched,
    };
  }

  private inTurn<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const turn = this.turns.memo(accountId);
    if (turn.pendingCount < maxWaiting) return turn(work);
    throw new AppError('too_many_requests', 'Several such searches of your account are running. Try again when they have ended.', {
      retryAfterSeconds: 10,
    });
  }

  /**
   * A file of all records that match. Until it is read or destroyed, the account gets no other file from this server.
   * @throws AppError as `BoughtRuns.of`, and too_many_requests
   */
  async file(accountId: string, format: FileFormatName, { search, ...filter }: BoughtArgs): Promise<RecordFile> {
    if (this.downloading.has(accountId)) {
      throw new AppError('too_many_requests', 'Another download of your account is running. Try again when it has ended.', {
        retryAfterSeconds: 10,
      });
    }
    this.downloading.add(accountId);
    const end = () => this.downloading.delete(accountId);
    try {
      const { runs, notKept } = await this.inTurn(accountId, () => this.runs.of(accountId, filter));
      const { contentType } = fileFormats[format];
      const pieces = writeFile(fileFormats[format], readBought(this.pool, runs, search), notKept);
      return { contentType, content: Readable.from(pieces, { highWaterMark: 1 }).once('close', end) };
    } catch (error) {
      end();
      throw error;
    }
  }
}
