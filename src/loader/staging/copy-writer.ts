import { finished } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';

/** Streams rows into a table by COPY, no faster than Postgres takes them. */
export class CopyWriter {
  private readonly stream: CopyStreamQuery;
  private readonly ended: Promise<void>;
  private hasFailed = false;
  private failWrite: (error: Error) => void = () => {};

  constructor(db: ClientBase, statement: string) {
    this.stream = db.query(copyFrom(statement));
    this.ended = finished(this.stream);
    // `write` and `finish` say it; until then a failure must not count as an unhandled rejection.
    this.ended.catch((error) => {
      this.hasFailed = true;
      this.failWrite(error);
    });
  }

  /** Takes some rows. Done once they are handed over, so that their bytes may be written over. */
  async write(rows: Buffer): Promise<void> {
    // The stream itself knows nothing of it: it would wait for its connection for ever.
    if (this.hasFailed) await this.ended;
    if (rows.length === 0) return;
    await new Promise<void>((resolve, reject) => {
      this.failWrite = reject;
      this.stream.write(rows, () => resolve());
    });
  }

  async finish(): Promise<void> {
    this.stream.end();
    await this.ended;
  }

  /** Ends the COPY without its rows. */
  async abort(): Promise<void> {
    this.stream.destroy(new Error('The COPY was given up.'));
    await this.ended.catch(() => {});
  }
}

/** A value in COPY's text format. */
export function copyText(text: string | null): string {
  if (text === null) return '\\N';
  if (!/[\\\t\n\r\0]/.test(text)) return text;
  return text.replaceAll('\0', '').replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
}
