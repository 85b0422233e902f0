import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { Field, ObjectType } from 'type-graphql';
import { checkpointRefusals } from '../../core/metrics.js';

@ObjectType({
  description: 'Why no checkpoint is signed, what a server found that keeps a newer one, or that the database looks like a copy.',
})
export class LogAlarm {
  @Field()
  text: string;

  @Field()
  since: Date;
}

/** Why mails and writes to Stripe wait, for operators. An alarm stays until its source finds all well. */
export class Alarms {
  constructor(
    private readonly pool: Pool,
    private readonly log: Logger,
  ) {}

  /** @param source who found it */
  async raise(source: string, text: string): Promise<void> {
    checkpointRefusals.inc();
    this.log.error({ source, reason: text }, 'mails and writes to Stripe wait');
    await this.pool.query(
      `insert into alarm (source, text) values ($1, $2)
       on conflict (source) do update set text = excluded.text, seen_at = service_now()`,
      [source, text],
    );
  }

  async clear(source: string): Promise<void> {
    await this.pool.query('delete from alarm where source = $1', [source]);
  }

  /** Drops alarms of servers that are gone: one that runs repeats its own each minute. */
  async clearForgotten(): Promise<void> {
    await this.pool.query(`delete from alarm where seen_at < service_now() - interval '2 hours'`);
  }

  async isAny(): Promise<boolean> {
    return (await this.pool.query('select from alarm limit 1')).rowCount === 1;
  }

  async list(): Promise<LogAlarm[]> {
    return (await this.pool.query<LogAlarm>('select text, since from alarm order by since, source')).rows;
  }
}
