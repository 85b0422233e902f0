import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';

const slowMs = 100;

/** Reads the current coverage version. A result is never older than its request. */
export class CoverageVersion {
  private underWay: Promise<unknown> = Promise.resolve();
  private next: Promise<string> | null = null;

  constructor(private readonly pool: Pool) {}

  /** Callers that ask while a query runs share the next one. The next query does not wait for a slow one. */
  current(): Promise<string> {
    this.next ??= this.underWay.then(() => {
      this.next = null;
      const answer = this.read();
      this.underWay = Promise.race([answer.catch(() => {}), pause(slowMs, undefined, { ref: false })]);
      return answer;
    });
    return this.next;
  }

  private async read(): Promise<string> {
    const { rows } = await this.pool.query<{ version: string }>({
      name: 'coverage_version',
      text: 'select version from coverage_version',
    });
    return rows[0]!.version;
  }
}
