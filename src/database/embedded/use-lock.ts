import { Client, type QueryResult } from 'pg';

// Every process that uses the server holds this lock in shared mode. One that gets it exclusively is the last, and may stop the server.
const key = 7_205_759_403_792_795n;
const answerMs = 5_000;

/** An advisory lock in the embedded server which says that this process uses it. Held by a connection, so it ends with the process. */
export class UseLock {
  /** Resolves when the connection has ended: by `release`, or because the server has ended. */
  readonly lost: Promise<void>;

  private constructor(private readonly client: Client) {
    this.lost = new Promise((resolve) => client.once('end', resolve));
  }

  /** @returns null while the server is stopping or not up yet */
  static async take(url: string): Promise<UseLock | null> {
    const client = new Client({
      connectionString: url,
      application_name: 'parcel-records use lock',
      connectionTimeoutMillis: answerMs,
      query_timeout: answerMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 30_000,
    });
    client.on('error', () => {}); // the pools notice a lost server, and say so
    const lock = new UseLock(client);
    try {
      await client.connect();
      const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock_shared($1) as held', [key]);
      if (rows[0]?.held) return lock;
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== '57P03' && code !== 'ECONNREFUSED') throw error;
    }
    await client.end().catch(() => {});
    return null;
  }

  query(sql: string, values: unknown[] = []): Promise<QueryResult> {
    return this.client.query(sql, values);
  }

  /** Whether no other process uses the server. If so, none can begin to until the lock is released. */
  async isLast(): Promise<boolean> {
    await this.client.query('select pg_advisory_unlock_shared($1)', [key]);
    const { rows } = await this.client.query<{ alone: boolean }>('select pg_try_advisory_lock($1) as alone', [key]);
    return rows[0]!.alone;
  }

  async release(): Promise<void> {
    await this.client.end().catch(() => {});
  }
}
