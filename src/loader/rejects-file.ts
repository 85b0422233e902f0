import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SourceRow } from './sources/source.js';

/** Where the rows that became no record are written down: number, reason and the row, a line each. Made when the first comes. */
export class RejectsFile {
  private stream: WriteStream | undefined;

  constructor(readonly path: string) {}

  get isEmpty(): boolean {
    return this.stream === undefined;
  }

  async add({ number, properties }: SourceRow, reason: string): Promise<void> {
    if (!this.stream) {
      await mkdir(dirname(this.path), { recursive: true });
      this.stream = createWriteStream(this.path);
    }
    if (!this.stream.write(`${JSON.stringify({ number, reason, row: properties })}\n`)) await once(this.stream, 'drain');
  }

  async close(): Promise<void> {
    if (!this.stream || this.stream.closed) return;
    this.stream.end();
    await once(this.stream, 'close');
  }
}

/** Where the rejects of a release are, on the machine that loaded it. */
export const rejectsPath = (dataDir: string, countyFips: string, releaseId: number): string =>
  join(dataDir, 'rejects', `${countyFips}-${releaseId}.ndjson`);
