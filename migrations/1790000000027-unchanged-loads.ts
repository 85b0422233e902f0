import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A load that changes no record publishes nothing: its release ends as `unchanged`. Records are compared by digests of 128 bits, in a column
 * of their own, since servers of the release before read `record_digests` as 12 bytes a record. Where these are missing, they compute them.
 */
export class UnchangedLoads1790000000027 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table parcel_release add column content_digests bytea');
    // Pages read pieces of it without the rest.
    await db.query('alter table parcel_release alter column content_digests set storage external');
    await setStates(db, 'parcel_release', ['loading', 'held', 'published', 'unchanged', 'failed', 'pruned']);
    await setStates(db, 'load_job', ['waiting', 'running', 'published', 'held', 'unchanged', 'failed']);
    await setFinished(db, ['published', 'held', 'unchanged', 'failed']);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`update parcel_release set state = 'pruned' where state = 'unchanged'`);
    await db.query(`update load_job set state = 'published' where state = 'unchanged'`);
    await setFinished(db, ['published', 'held', 'failed']);
    await setStates(db, 'load_job', ['waiting', 'running', 'published', 'held', 'failed']);
    await setStates(db, 'parcel_release', ['loading', 'held', 'published', 'failed', 'pruned']);
    await db.query('alter table parcel_release drop column content_digests');
  }
}

const list = (states: string[]) => `state in (${states.map((state) => `'${state}'`).join(', ')})`;

const setStates = (db: QueryRunner, table: string, states: string[]) =>
  db.query(`alter table ${table} drop constraint ${table}_state_known, add constraint ${table}_state_known check (${list(states)})`);

const setFinished = (db: QueryRunner, states: string[]) =>
  db.query(
    `alter table load_job drop constraint load_job_finished_once,
       add constraint load_job_finished_once check ((finished_at is not null) = (${list(states)}))`,
  );
