import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What costs no credit is counted by its entries (free_entry_wait). A read that pays never touches this index. */
export class FreeEntries1790000000013 implements MigrationInterface {
  // Servers go on writing meanwhile, however long the ledger is. Postgres builds such an index outside of transactions only.
  readonly transaction = false;

  async up(db: QueryRunner): Promise<void> {
    // what a build leaves that was interrupted
    await db.query('drop index if exists ledger_entry_free');
    await db.query(`
      create index concurrently ledger_entry_free on ledger_entry (token_id, at)
        where kind = 'replay' or (kind = 'read' and records = 0)
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index ledger_entry_free');
  }
}
