import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A request whose read was not found waits beside the undelivered reads, so that a spend of it that comes late is refused. */
export class LateSpends1790000000011 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table undelivered_read alter column entry_id drop not null');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('delete from undelivered_read where entry_id is null');
    await db.query('alter table undelivered_read alter column entry_id set not null');
  }
}
