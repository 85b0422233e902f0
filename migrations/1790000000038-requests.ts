import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The calls of each token, refused ones too. A partition is emptied, not dropped, so that no start or job has to make tables. */
export class Requests1790000000038 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // A row has all calls of a token with one outcome that a server wrote at once: a row for each call costs three times as much.
    await db.query(`
      create table request_batch (
        -- the day of \`at\` modulo 32
        slot          smallint    not null,
        account_id    text        not null,
        -- when it was written
        at            timestamptz not null,
        -- its first call's
        id            uuid        not null,
        token_id      uuid        not null,
        status        smallint    not null,
        -- the error's code; empty: none
        error         text        not null,
        -- one element a call; before \`at\`
        ages_ms       real[]      not null,
        latencies_ms  real[]      not null,
        request_ids   uuid[]      not null,
        -- method and URL
        request_lines text[]      not null,
        records       integer[]   not null,
        entry_ids     uuid[]      not null,
        constraint request_batch_pkey primary key (account_id, at, id, slot)
      ) partition by list (slot)
    `);
    for (let slot = 0; slot < 32; slot++) {
      await db.query(`create table request_batch_${slot} partition of request_batch for values in (${slot})`);
    }
    await db.query(`
      create table request_count (
        account_id text        not null,
        hour       timestamptz not null,
        token_id   uuid        not null,
        status     smallint    not null,
        error      text        not null,
        calls      integer     not null,
        -- those of them that have a place in request_batch
        listed     integer     not null,
        constraint request_count_pkey primary key (account_id, hour, token_id, status, error)
      )
    `);
    await db.query('create index request_count_hour on request_count (hour)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table request_batch, request_count');
  }
}
