import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { Segment } from './page.js';

const cacheBytes = 128 * 1024 * 1024;

/** A record that the ledger says exists is not there: its release was pruned, or the books and the data disagree. */
export class MissingRecords extends Error {}

/** Reads records as the finished text they were loaded as. */
export class ParcelStore {
  // Releases never change, so what was read once is right for ever.
  private readonly texts = new LRUCache<string, Buffer>({ maxSize: cacheBytes, sizeCalculation: (text) => text.length + 100 });

  constructor(private readonly pool: Pool) {}

  /**
   * The records as JSON texts with commas between them, in UTF-8.
   * @throws MissingRecords if not every one of them is there
   */
  async recordsText(segments: Segment[]): Promise<Buffer> {
    const texts = await Promise.all(segments.map((segment) => this.segmentText(segment)));
    if (texts.length === 1) return texts[0]!;
    return Buffer.concat(texts.flatMap((text, index) => (index === 0 ? [text] : [comma, text])));
  }

  private async segmentText(segment: Segment): Promise<Buffer> {
    const key = `${segment.releaseId}.${segment.first}.${segment.count}`;
    const known = this.texts.get(key);
    if (known) return known;
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
    this.texts.set(key, text);
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
