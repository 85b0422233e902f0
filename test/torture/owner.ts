import { Pool } from 'pg';
import { createLog } from '../../src/core/log.js';
import { adjustment } from '../harness/adjustment.js';

/** The database's superuser, who comes in past every proxy. */
export class Owner {
  private readonly pool: Pool;
  private offset = '0 seconds';

  constructor(url: string) {
    this.pool = new Pool({ connectionString: url, max: 4, connectionTimeoutMillis: 5_000, query_timeout: 60_000 });
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

  /** Ends this share of the service's connections, as a failover does. */
  async endConnections(share: number): Promise<void> {
    await this.rows(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'service' and random() < $1`, [share]);
  }

  /** The process of one of the service's connections. */
  async anyBackend(): Promise<number | null> {
    const [row] = await this.rows<{ pid: number }>(
      `select pid from pg_stat_activity where usename = 'service' order by state = 'active' desc, random() limit 1`,
    );
    return row?.pid ?? null;
  }

  /** One of the balance's tokens that may still be used. */
  async anyToken(balanceId: string, chance: number): Promise<string | null> {
    const tokens = await this.rows<{ id: string }>(
      'select id from api_token where balance_id = $1 and revoked_at is null order by issued_at desc limit 8',
      [balanceId],
    );
    return tokens[Math.floor(chance * tokens.length)]?.id ?? null;
  }

  async setOverageCap(balanceId: string, records: number | null): Promise<void> {
    await this.rows('update credit_balance set overage_cap = $2 where id = $1', [balanceId, records]);
  }

  async adjust(balanceId: string, credits: number): Promise<void> {
    await this.rows(adjustment(balanceId, credits), []);
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}
