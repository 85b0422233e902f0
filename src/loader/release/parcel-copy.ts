import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
import type { ParcelRecord } from '../normalise/record.js';

const chunkCharacters = 64 * 1024;

/** Streams rows into a table by COPY, no faster than Postgres takes them. */
export class CopyWriter {
  private readonly stream: CopyStreamQuery;
  private readonly ended: Promise<void>;
  private buffered = '';

  constructor(db: ClientBase, statement: string) {
    this.stream = db.query(copyFrom(statement));
    this.ended = finished(this.stream);
    // `flush` and `finish` await it; until then a failure must not count as an unhandled rejection.
    this.ended.catch(() => {});
  }

  /** Takes whole lines of COPY's text format. */
  async write(lines: string): Promise<void> {
    this.buffered += lines;
    if (this.buffered.length >= chunkCharacters) await this.flush();
  }

  async finish(): Promise<void> {
    await this.flush();
    this.stream.end();
    await this.ended;
  }

  /** Ends the COPY without its rows. */
  async abort(): Promise<void> {
    this.stream.destroy(new Error('The COPY was given up.'));
    await this.ended.catch(() => {});
  }

  private async flush(): Promise<void> {
    const bytes = Buffer.from(this.buffered);
    this.buffered = '';
    if (this.stream.errored) await this.ended;
    if (bytes.length > 0 && !this.stream.write(bytes)) await Promise.race([once(this.stream, 'drain'), this.ended]);
  }
}

export function copyParcels(db: ClientBase): CopyWriter {
  return new CopyWriter(db, `copy parcel (release_id, ordinal, apn, record) from stdin`);
}

export function parcelLine(releaseId: number, ordinal: number, { apn, json }: ParcelRecord): string {
  return `${releaseId}\t${ordinal}\t${copyText(apn)}\t${copyJson(json)}\n`;
}

/** A value in COPY's text format. */
export function copyText(text: string | null): string {
  if (text === null) return '\\N';
  if (!/[\\\t\n\r\0]/.test(text)) return text;
  return text.replaceAll('\0', '').replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
}

/** JSON text has its control characters escaped already: only backslashes are left to double. */
const copyJson = (json: string): string => (json.includes('\\') ? json.replaceAll('\\', '\\\\') : json);
