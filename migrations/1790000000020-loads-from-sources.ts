import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A load from a county's own service has no upload. A server that knows of none does not start such loads. */
export class LoadsFromSources1790000000020 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table load_job alter column upload_id drop not null');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('delete from load_job where upload_id is null');
    await db.query('alter table load_job alter column upload_id set not null');
  }
}
