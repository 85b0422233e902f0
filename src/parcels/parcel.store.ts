import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { pageReads, pageWaitSeconds } from '../core/metrics.js';
import { FairQueue } from '../ledger/spending/fair-queue.js';
import { currentRecord } from '../releases/record-fields/record-fields.js';
import type { Segment } from './page.js';
import { RecordVersions } from './record-versions.js';

const cacheBytes = 128 * 1024 * 1024;
const rememberedPages = 2_000;
// Of the pool's twelve connections; the others are for spending.
const maxQueries = 6;

/** A page that is not in memory, and the query that all its readers share. */
interface WantedPage {
  text: Promise<Buffer>;
  flight: SingleFlight;
}

/** A record that the ledger names does not exist: its release was pruned, or ledger and data disagree. */
export class MissingRecords extends Error {}

/** Reads records as the finished JSON text that the load wrote. Records of an earlier version get the keys that were added since, as null. */
export class ParcelStore {
  readonly versions: RecordVersions;

  // Releases never change, so a page never expires. It is kept from its second request on: a reader who walks through a county would
  // evict what others read, and only a full garbage collection would free it.
  private readonly texts = new LRUCache<string, Buffer>({ maxSize: cacheBytes, sizeCalculation: (text) => text.length + 100 });
  private readonly askedOnce = new LRUCache<string, true>({ max: rememberedPages });

  private readonly wanted = new Map<string, WantedPage>();
  private readonly queue = new FairQueue<SingleFlight>(pageWaitSeconds);
  private queries = 0;

  constructor(private readonly pool: Pool) {
    this.versions = new RecordVersions(pool);
  }

  /**
   * The records as JSON texts with commas between them, in UTF-8. Readers take turns, so that one with many large pages outside of
   * memory delays nobody else.
   * @throws MissingRecords if any of them is missing
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
    const { text, flight } = this.wanted.get(key) ?? this.want(key, segment);
    if (flight.isNewTo(reader)) {
      this.queue.push(reader, flight);
      this.next();
    }
    return text;
  }

  private want(key: string, segment: Segment): WantedPage {
    let flight!: SingleFlight;
    const text = new Promise<Buffer>((resolve, reject) => {
      const read = () => this.readSegment(key, segment).finally(() => this.wanted.delete(key));
      flight = new SingleFlight(() => read().then(resolve, reject));
    });
    const page = { text, flight };
    this.wanted.set(key, page);
    return page;
  }

  private next(): void {
    for (const { item: flight } of this.queue.take(maxQueries - this.queries)) {
      this.queries++;
      void flight.run().finally(() => {
        this.queries--;
        this.next();
      });
    }
  }

  private async readSegment(key: string, segment: Segment): Promise<Buffer> {
    const isEarlier = await this.versions.isEarlier(segment.releaseId);
    const { rows } = await this.pool.query<{ count: number; text: string }>({
      ...(isEarlier ? readLines : readSegment),
      values: [segment.releaseId, segment.first, segment.first + segment.count - 1],
    });
    const count = rows.reduce((sum, row) => sum + row.count, 0);
    if (count !== segment.count) throw new MissingRecords(`release ${key} has ${count} of ${segment.count} records`);
    const text = joined(rows.map((row) => (isEarlier ? withAllKeys(row.text) : row.text)));
    // With `query_timeout` the driver keeps the result until V8's next full collection. Its texts are freed here.
    rows.length = 0;
    if (this.askedOnce.delete(key)) this.texts.set(key, text);
    else this.askedOnce.set(key, true);
    return text;
  }
}

/**
 * A query that several readers share. Each of them waits in the queue: the first turn runs it, the others find nothing left to do. It keeps no
 * result, since a turn may come long after the answer.
 */
class SingleFlight {
  private readonly readers = new Set<string>();

  constructor(private work: (() => Promise<void>) | null) {}

  /** True once for each reader: more turns without work would only delay the reader's other pages. */
  isNewTo(reader: string): boolean {
    if (!this.work || this.readers.has(reader)) return false;
    this.readers.add(reader);
    return true;
  }

  async run(): Promise<void> {
    const { work } = this;
    this.work = null;
    await work?.();
  }
}

// Rows of a hundred records: for one text of a megabyte Postgres takes twice the time, and the driver copies more.
const readAs = (name: string, separator: string) => ({
  name,
  text: `
    select count(*)::integer as count, string_agg(record, ${separator} order by ordinal) as text
      from parcel where release_id = $1 and ordinal between $2 and $3
     group by (ordinal - $2) / 100
     order by (ordinal - $2) / 100`,
});
const readSegment = readAs('read_segment', `','`);
const readLines = readAs('read_segment_lines', `E'\\n'`);

// The text of a record has no line break.
const withAllKeys = (lines: string): string => lines.split('\n').map(currentRecord).join(',');

const comma = Buffer.from(',');

/** Joins texts with commas. Encodes each into its place: joining strings first would copy everything once more. */
function joined(texts: string[]): Buffer {
  const bytes = Buffer.allocUnsafe(texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0));
  let length = 0;
  for (const text of texts) {
    length += bytes.write(text, length);
    bytes[length++] = comma[0]!;
  }
  return bytes.subarray(0, -1);
}
