import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The calls of each token, refused ones too. */
export class Requests1800000000007 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      -- A row has all calls of a token with one outcome that a server wrote at once: a row for each call costs three times as much. Arrays
      -- have an element for each call; records and entry_ids are empty if no call had any.
      create table request_batch (
        slot          smallint    not null, -- the day of \`at\` modulo 32
        account_id    text        not null,
        at            timestamptz not null, -- when it was written
        id            uuid        not null, -- its first call's
        token_id      uuid        not null,
        status        smallint    not null,
        error         text        not null, -- the error's code; empty: none
        ages_ms       real[]      not null, -- before \`at\`
        latencies_ms  real[]      not null,
        request_ids   uuid[]      not null,
        request_lines text[]      not null, -- method and URL
        records       integer[]   not null,
        entry_ids     uuid[]      not null,
        primary key (account_id, at, id, slot)
      ) partition by list (slot);

      create table request_count (
        account_id text        not null,
        hour       timestamptz not null,
        token_id   uuid        not null,
        status     smallint    not null,
        error      text        not null,
        calls      integer     not null,
        listed     integer     not null, -- those that have a place in request_batch
        primary key (account_id, hour, token_id, status, error)
      );
      create index request_count_hour on request_count (hour);
    `);
    // Fixed: an old partition is emptied, not dropped, so that no start or job has to make tables.
    for (let slot = 0; slot < 32; slot++) {
      await db.query(`create table request_batch_${slot} partition of request_batch for values in (${slot})`);
    }
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table request_batch, request_count cascade');
  }
}
