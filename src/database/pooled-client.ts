import { Client, type ClientConfig } from 'pg';
import type { Logger } from 'pino';

/** What the connections of our pools are made of, whoever takes them out. */
export function pooledClient(log: Logger): new (config?: ClientConfig) => Client {
  return class PooledClient extends Client {
    constructor(config?: ClientConfig) {
      super(config);
      // A connection that is lost while somebody has it would end the process, if nobody listened.
      this.on('error', (error) => log.warn({ error }, 'a database connection broke'));
    }

    // A statement that ran out of time still holds its connection, perhaps for ever, and whoever gets the connection next
    // would wait behind it. Kysely and TypeORM give it back as if it were well.
    // biome-ignore lint/suspicious/noExplicitAny: pg's own signatures are many, and all of them hold
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
