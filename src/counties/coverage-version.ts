import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';

const slowMs = 100;

/** Says which version of coverage holds. An answer is as fresh as a query that was sent after it was asked for. */
export class CoverageVersion {
  private underWay: Promise<unknown> = Promise.resolve();
  private next: Promise<string> | null = null;

  constructor(private readonly pool: Pool) {}

  /** Who asks while a query is under way shares the next one with all others who do. A slow one is not waited for. */
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
