import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { pageReads, pageWaitSeconds } from '../core/metrics.js';
import { FairQueue } from '../ledger/spending/fair-queue.js';
import type { Segment } from './page.js';
import { SharedTurn } from './single-flight.js';

const cacheBytes = 128 * 1024 * 1024;
const rememberedPages = 2_000;
// Of the pool's twelve connections: the others are for spending.
const maxQueries = 6;

/** A page that is not in memory, and the turn of all who want it. */
interface WantedPage {
  text: Promise<Buffer>;
  turn: SharedTurn;
}

/** A record that the ledger says exists is not there: its release was pruned, or the books and the data disagree. */
export class MissingRecords extends Error {}

/** Reads records as the finished text they were loaded as. */
export class ParcelStore {
  // Releases never change, so what was read once is right for ever. What is asked for again is kept: who reads a county from one end to the
  // other would drive out what others read, and only a full collection would free it.
  private readonly texts = new LRUCache<string, Buffer>({ maxSize: cacheBytes, sizeCalculation: (text) => text.length + 100 });
  private readonly askedOnce = new LRUCache<string, true>({ max: rememberedPages });

  private readonly wanted = new Map<string, WantedPage>();
  private readonly queue = new FairQueue<SharedTurn>(pageWaitSeconds);
  private queries = 0;

  constructor(private readonly pool: Pool) {}

  /**
   * The records as JSON texts with commas between them, in UTF-8. Those who read take turns, so that one with many large pages
   * that are not in memory holds up nobody else.
   * @throws MissingRecords if not every one of them is there
   */
  async recordsText(segments: Segment[], reader: string): Promise<Buffer> {
    const [only] = segments;
    if (only && segments.length === 1) return await this.segmentText(only, reader);
    const texts = await Promise.all(segments.map((segment) => this.segmentText(segment, reader)));
    return Buffer.concat(texts.flatMap((text, index) => (index === 0 ? [text] : [comma, text])));
  }

  private async segmentText(segment: Segment, reader: string): Promise<Buffer> {
    const key = `${segment.releaseId}.${segment.first}.${segment.count}`;
    const known = this.texts.get(key);
    pageReads.inc({ from: known || this.wanted.has(key) ? 'memory' : 'database' });
    if (known) return known;
    const { text, turn } = this.wanted.get(key) ?? this.want(key, segment);
    if (turn.isNewTo(reader)) {
      this.queue.push(reader, turn);
      this.next();
    }
    return text;
  }

  private want(key: string, segment: Segment): WantedPage {
    let turn!: SharedTurn;
    const text = new Promise<Buffer>((resolve, reject) => {
      const read = () => this.readSegment(key, segment).finally(() => this.wanted.delete(key));
      turn = new SharedTurn(() => read().then(resolve, reject));
    });
    const page = { text, turn };
    this.wanted.set(key, page);
    return page;
  }

  private next(): void {
    for (const { item: turn } of this.queue.take(maxQueries - this.queries)) {
      this.queries++;
      void turn.take().finally(() => {
        this.queries--;
        this.next();
      });
    }
  }

  private async readSegment(key: string, segment: Segment): Promise<Buffer> {
    // In rows of a hundred records: as one text of a megabyte, Postgres spends twice the time on it, and the driver copies more.
    const { rows } = await this.pool.query<{ count: number; text: string }>({
      name: 'read_segment',
      text: `
        select count(*)::integer as count, string_agg(record, ',' order by ordinal) as text
          from parcel where release_id = $1 and ordinal between $2 and $3
         group by (ordinal - $2) / 100
         order by (ordinal - $2) / 100`,
      values: [segment.releaseId, segment.first, segment.first + segment.count - 1],
    });
    const count = rows.reduce((sum, row) => sum + row.count, 0);
    if (count !== segment.count) throw new MissingRecords(`release ${key} has ${count} of ${segment.count} records`);
    const text = joined(rows.map((row) => row.text));
    // With `query_timeout` the driver's result outlives its statement, until V8's next full collection. So do not its texts.
    rows.length = 0;
    if (this.askedOnce.delete(key)) this.texts.set(key, text);
    else this.askedOnce.set(key, true);
    return text;
  }
}

const comma = Buffer.from(',');

/** Texts with commas between them, each encoded into its place: joined as strings first, all of it would be copied once more. */
function joined(texts: string[]): Buffer {
  const bytes = Buffer.allocUnsafe(texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0));
  let length = 0;
  for (const text of texts) {
    length += bytes.write(text, length);
    bytes[length++] = comma[0]!;
  }
  return bytes.subarray(0, -1);
}
