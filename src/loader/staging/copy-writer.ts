import { finished } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';

/** Streams rows into a table with COPY, at the speed at which Postgres accepts them. */
export class CopyWriter {
  private readonly stream: CopyStreamQuery;
  private readonly ended: Promise<void>;
  private hasFailed = false;
  private failWrite: (error: Error) => void = () => {};

  constructor(db: ClientBase, statement: string) {
    this.stream = db.query(copyFrom(statement));
    this.ended = finished(this.stream);
    // `write` and `finish` report a failure; until then it must not be an unhandled rejection.
    this.ended.catch((error) => {
      this.hasFailed = true;
      this.failWrite(error);
    });
  }

  /** Resolves once the rows are handed over; their bytes may then be overwritten. */
  async write(rows: Buffer): Promise<void> {
    // After a failure, the stream itself would wait for its connection forever.
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

  /** Aborts the COPY, without any rows. */
  async abort(): Promise<void> {
    this.stream.destroy(new Error('The COPY was aborted.'));
    await this.ended.catch(() => {});
  }
}

/** A value in COPY's text format. */
export function copyText(text: string | null): string {
  if (text === null) return '\\N';
  if (!/[\\\t\n\r\0]/.test(text)) return text;
  return text.replaceAll('\0', '').replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
}
