import type { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';
import { hostUrls } from '../core/database-hosts.js';
import { isUnreachableDatabase, textOf } from '../core/errors.js';
import { loadLimits } from './limits.js';
import { isPooled, withSessionSettings } from './session-settings.js';

/**
 * The connections to the service's database. Of several hosts in the URL it takes the one that can be written to, anew at each connection.
 * Behind a pooler it sends no time limits at the start, which poolers refuse, but with each transaction; and no named statements, which
 * poolers before PgBouncer 1.21 lose.
 */
export class ServiceClient extends Client {
  private readonly given: ClientConfig;
  private readonly urls: string[];
  /** Statements that follow a `begin`; null: not behind a pooler. */
  private readonly limits: string | null;

  constructor(config: ClientConfig = {}) {
    const { statement_timeout, lock_timeout, idle_in_transaction_session_timeout, ...unlimited } = config;
    const { connectionString = '' } = config;
    const pooled = isPooled(connectionString);
    const urls = hostUrls(connectionString);
    const given = pooled ? unlimited : config;
    super({ ...given, connectionString: urls[0]! });
    this.given = given;
    this.urls = urls;
    const limits = Object.entries({ statement_timeout, lock_timeout, idle_in_transaction_session_timeout });
    this.limits = pooled ? limits.map(([name, ms]) => (ms ? `; set local ${name} = ${Number(ms)}` : '')).join('') : null;
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error) => void): void;
  // biome-ignore lint/suspicious/noExplicitAny: both overloads
  override connect(callback?: any): any {
    if (this.urls.length === 1) return super.connect(callback);
    const connected = writableHost(this.urls, this.given).then((found) => {
      // The pool has given up meanwhile.
      if (this.socket.destroyed) throw new Error('timeout expired');
      Object.assign(this, found);
      return super.connect();
    });
    return callback ? void connected.then(() => callback(null, this), callback) : connected;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  /** Ends without a farewell, which would wait for the end of a copy that was broken off. */
  cut(): void {
    this.socket.destroy();
  }

  private get socket(): Socket {
    return (this as unknown as { connection: { stream: Socket } }).connection.stream;
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg has many overloads of this method, and all of them are kept
  override query(statement: any, ...rest: any[]): any {
    return super.query(this.limits === null ? statement : this.forPooler(statement), ...rest);
  }

  private forPooler(statement: unknown): unknown {
    if (typeof statement === 'string') return statement.replace(/^\s*(begin|start transaction)\b[^;]*/i, `$&${this.limits}`);
    const isConfig = typeof statement === 'object' && statement !== null && 'text' in statement && !('submit' in statement);
    return isConfig ? { ...statement, text: this.forPooler(statement.text), name: undefined } : statement;
  }
}

/**
 * A connection outside of the pools, for work that takes longer than their time limits or holds a lock. If it breaks, the next statement
 * fails: without a listener the process would end.
 */
export async function connectAlone(
  url: string,
  name: string,
  limits = loadLimits,
): Promise<Client & Pick<ServiceClient, 'cut'> & AsyncDisposable> {
  const client = new ServiceClient({ connectionString: withSessionSettings(url), application_name: `parcel-records ${name}`, ...limits });
  client.on('error', () => {});
  return client.connect();
}

const searches = new Map<string, Promise<Pick<Client, 'host' | 'port'>>>();

/** The first of the hosts to say that it can be written to. Connections that open together ask once. */
function writableHost(urls: string[], config: ClientConfig): Promise<Pick<Client, 'host' | 'port'>> {
  const key = urls.join();
  const search = searches.get(key) ?? searchHosts(urls, config).finally(() => searches.delete(key));
  searches.set(key, search);
  return search;
}

/** All at once: a host that is gone must not use up the time for the others. */
async function searchHosts(urls: string[], config: ClientConfig): Promise<Pick<Client, 'host' | 'port'>> {
  const answers = urls.map(async (connectionString) => {
    const client = new Client({ ...config, connectionString });
    client.on('error', () => {});
    const { host, port } = client;
    try {
      await client.connect();
      const { rows } = await client.query<{ isReadOnly: boolean }>(
        `select current_setting('transaction_read_only')::boolean as "isReadOnly"`,
      );
      if (rows[0]!.isReadOnly) throw Object.assign(new Error('it is a read-only standby'), { code: '25006' });
      return { host, port };
    } catch (error) {
      throw Object.assign(error as Error, { message: `${host}:${port}: ${textOf(error as Error)}` });
    } finally {
      void client.end().catch(() => undefined);
    }
  });
  return Promise.any(answers).catch(({ errors }: AggregateError) => {
    // What does not pass, such as a wrong password, is told rather than that the others are away.
    const lasting = errors.find((error) => !isUnreachableDatabase(error));
    if (lasting) throw lasting;
    const message = `none of its hosts can be written to (${errors.map((error: Error) => error.message).join('; ')})`;
    throw Object.assign(new Error(message), { code: '08001' });
  });
}
