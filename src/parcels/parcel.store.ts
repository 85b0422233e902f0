import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { pageReads, pageWaitSeconds } from '../core/metrics.js';
import { FairQueue } from '../ledger/fair-queue.js';
import { contentBytes, contentDigest, digestBytes, idBytes, readDigests } from '../releases/record-fields/content-digest.js';
import { currentRecord, recordVersion } from '../releases/record-fields/record-fields.js';
import { PageDigests, type Segment } from './page.js';

const cacheBytes = 128 * 1024 * 1024;
const rememberedPages = 2_000;
// Of the pool's twelve connections; the others are for spending.
const maxQueries = 6;

/** Consecutive records: their JSON texts with commas between them, in UTF-8. */
export interface Records {
  text: Buffer;
  digests: PageDigests;
}

/** A page that is not in memory, and the query that all its readers share. */
interface WantedPage {
  records: Promise<Records>;
  flight: SingleFlight;
}

/** A record that the ledger names does not exist: its release was pruned, or ledger and data disagree. */
export class MissingRecords extends Error {}

/** Reads records as the finished JSON text that the load wrote. Records of an earlier version get the keys that were added since, as null. */
export class ParcelStore {
  // Releases never change, so a page never expires. It is kept from its second request on: a reader who walks through a county would
  // evict what others read, and only a full garbage collection would free it.
  private readonly pages = new LRUCache<string, Records>({
    maxSize: cacheBytes,
    sizeCalculation: ({ text, digests }) => text.length + 3 * digests.bytes.length + 300,
  });
  private readonly askedOnce = new LRUCache<string, true>({ max: rememberedPages });

  private readonly wanted = new Map<string, WantedPage>();
  private readonly queue = new FairQueue<SingleFlight>(pageWaitSeconds);
  private queries = 0;

  constructor(private readonly pool: Pool) {}

  /**
   * Readers take turns, so that one with many large pages outside of memory delays nobody else.
   * @throws MissingRecords if any of them is missing
   */
  async records(segments: Segment[], reader: string): Promise<Records> {
    const [only] = segments;
    if (only && segments.length === 1) return await this.segment(only, reader);
    const parts = await Promise.all(segments.map((segment) => this.segment(segment, reader)));
    return {
      text: Buffer.concat(parts.flatMap(({ text }, index) => (index === 0 ? [text] : [comma, text]))),
      digests: new PageDigests(Buffer.concat(parts.map(({ digests }) => digests.bytes))),
    };
  }

  /** Asked only for a page without records. */
  async statusOf(countyFips: string): Promise<string> {
    const { rows } = await this.pool.query<{ status: string }>('select status from county where fips = $1', [countyFips]);
    return rows[0]?.status ?? 'unknown';
  }

  /** The digests of records, without reading the records. */
  async digests(segments: Segment[], reader: string): Promise<PageDigests> {
    return new PageDigests(Buffer.concat(await Promise.all(segments.map((segment) => this.segmentDigests(segment, reader)))));
  }

  private async segmentDigests(segment: Segment, reader: string): Promise<Buffer> {
    const known = this.pages.get(keyOf(segment));
    if (known) return known.digests.bytes;
    const { releaseId, first, count } = segment;
    const digests = await readDigests(this.pool, releaseId, first, count);
    return digestsOf([{ digests }], segment) ?? (await this.segment(segment, reader)).digests.bytes;
  }

  private async segment(segment: Segment, reader: string): Promise<Records> {
    const key = keyOf(segment);
    const known = this.pages.get(key);
    pageReads.inc({ from: known || this.wanted.has(key) ? 'memory' : 'database' });
    if (known) return known;
    const { records, flight } = this.wanted.get(key) ?? this.want(key, segment);
    if (flight.isNewTo(reader)) {
      this.queue.push(reader, flight);
      this.next();
    }
    return records;
  }

  private want(key: string, segment: Segment): WantedPage {
    let flight!: SingleFlight;
    const records = new Promise<Records>((resolve, reject) => {
      const read = () => this.readSegment(key, segment).finally(() => this.wanted.delete(key));
      flight = new SingleFlight(() => read().then(resolve, reject));
    });
    const page = { records, flight };
    this.wanted.set(key, page);
    return page;
  }

  private next(): void {
    for (const flight of this.queue.take(maxQueries - this.queries)) {
      this.queries++;
      void flight.run().finally(() => {
        this.queries--;
        this.next();
      });
    }
  }

  private async readSegment(key: string, segment: Segment): Promise<Records> {
    const { releaseId, first, count } = segment;
    const { rows } = await this.pool.query<ReadRun>({ ...readSegment, values: [releaseId, first, first + count - 1, recordVersion] });
    const found = rows.reduce((sum, run) => sum + run.count, 0);
    if (found !== count) throw new MissingRecords(`release ${key} has ${found} of ${count} records`);
    const digests = digestsOf(rows, segment) ?? Buffer.concat(rows.flatMap(({ text }) => recordsIn(text).map(digestOf)));
    const text = joined(rows.map((run) => (run.isEarlier ? recordsIn(run.text).map(currentRecord).join(',') : run.text)));
    // With `query_timeout` the driver keeps the result until V8's next full collection. Its texts are freed here.
    rows.length = 0;
    const records = { text, digests: new PageDigests(digests) };
    if (this.askedOnce.delete(key)) this.pages.set(key, records);
    else this.askedOnce.set(key, true);
    return records;
  }
}

const keyOf = ({ releaseId, first, count }: Segment): string => `${releaseId}.${first}.${count}`;

/** A hundred records. */
interface ReadRun {
  count: number;
  /** With commas between the records. */
  text: string;
  /** Whether they may lack keys that were added since. */
  isEarlier: boolean;
  /** As the release keeps them, with half of each record's id; null for records that no load wrote. */
  digests: Buffer | null;
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

// In SQL, for the plan. Rows of a hundred records: for one text of a megabyte Postgres takes twice the time, and the driver copies more.
const readSegment = {
  name: 'read_segment',
  text: `
    select count, text, record_version < $4 as "isEarlier",
           substring(content_digests from ($2 + run * 100 - 1) * ${digestBytes} + 1 for count * ${digestBytes}) as digests
      from parcel_release, (
        select (ordinal - $2) / 100 as run, count(*)::integer as count, string_agg(record, ',' order by ordinal) as text
          from parcel where release_id = $1 and ordinal between $2 and $3
         group by (ordinal - $2) / 100) page
     where id = $1
     order by run`,
};

/** Null for records that no load wrote. */
function digestsOf(rows: Pick<ReadRun, 'digests'>[], { releaseId, count }: Segment): Buffer | null {
  const digests = Buffer.allocUnsafe(count * contentBytes);
  let at = 0;
  for (const { digests: stored } of rows) {
    if (stored === null) return null;
    for (let start = idBytes; start < stored.length; start += digestBytes) at += stored.copy(digests, at, start, start + contentBytes);
  }
  if (at !== digests.length) throw new MissingRecords(`release ${releaseId} has too few digests`);
  return digests;
}

const digestOf = (record: string): Buffer => contentDigest(Buffer.from(record));

/** Each record begins with its id, and no value contains such a quote without a backslash. */
const recordsIn = (text: string): string[] => text.split(/,(?=\{"parcel_id":)/);

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
