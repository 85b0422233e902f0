import { Pool } from 'pg';
import { createLog } from '../../src/core/log.js';
import { closeAtEnd } from '../harness/closing.js';

/** The database's superuser, who comes in past every proxy. */
export class Owner {
  private readonly pool: Pool;
  private offset = '0 seconds';

  constructor(url: string) {
    this.pool = new Pool({ connectionString: url, max: 4, connectionTimeoutMillis: 60_000, query_timeout: 60_000 });
    closeAtEnd(() => this.pool.end());
    const log = createLog({ logLevel: 'silent' });
    this.pool.on('error', (error) => log.debug({ error }));
    this.pool.on('connect', (client) => client.on('error', (error) => log.debug({ error })));
  }

  async rows<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.pool.query<Row>(sql, values)).rows;
  }

  /** Moves the service's one clock forward for everybody. */
  async moveClock(interval: string): Promise<void> {
    const [sum] = await this.rows<{ offset: string }>('select ($1::interval + $2::interval)::text as offset', [this.offset, interval]);
    await this.rows(`
      create or replace function service_now() returns timestamptz language sql stable parallel safe
      return clock_timestamp() + interval '${sum!.offset}'
    `);
    this.offset = sum!.offset;
  }
}
