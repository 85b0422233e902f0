import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a device calls the account of its passkey, so that it is not taken for that of another. Null for those that there are. */
export class PasskeyHandles1790000000015 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table auth.passkey add column "userHandle" text');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table auth.passkey drop column "userHandle"');
  }
}
