import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The version of the record that a release's texts are of. A server that knows of none writes the first one. */
export class RecordVersion1790000000014 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table parcel_release add column record_version smallint not null default 1');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table parcel_release drop column record_version');
  }
}
