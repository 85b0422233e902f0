import { Client, type ClientConfig } from 'pg';
import type { Logger } from 'pino';

/** The class of the connections in our pools, also of those that better-auth and TypeORM use. */
export function pooledClient(log: Logger): new (config?: ClientConfig) => Client {
  return class PooledClient extends Client {
    constructor(config?: ClientConfig) {
      super(config);
      // Without a listener a connection that breaks while it is in use would end the process.
      this.on('error', (error) => log.warn({ error }, 'a database connection broke'));
    }

    // A statement that exceeded `query_timeout` still occupies its connection, and the next user of the connection would wait for
    // it. Kysely and TypeORM return such a connection to the pool, so it is closed here.
    // biome-ignore lint/suspicious/noExplicitAny: pg has many overloads of this method, and all of them are kept
    override query(...given: any[]): any {
      const answer: unknown = super.query(...(given as Parameters<Client['query']>));
      if (answer instanceof Promise) {
        answer.catch((error: Error) => {
          if (error.message === 'Query read timeout') return this.end();
        });
      }
      return answer;
    }
  };
}
