import { setTimeout as pause } from 'node:timers/promises';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What decides a bill and moves nothing gets entries, too: the terms of a balance, and the issue and revocation of its tokens. */
export class TermsInTheLedger1790000000017 implements MigrationInterface {
  // Each lock for itself, and two indexes that Postgres builds outside of transactions only.
  readonly transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await withoutQueue(
      db,
      `alter table ledger_entry
         drop constraint if exists ledger_entry_terms_move_nothing,
         drop constraint ledger_entry_kind_known,
         add constraint ledger_entry_kind_known
           check (kind in ('grant', 'read', 'replay', 'reversal', 'expiry', 'adjustment', 'terms', 'token')) not valid,
         add constraint ledger_entry_terms_move_nothing
           check (kind not in ('terms', 'token') or (records = 0 and credits = 0 and overage_records = 0 and reason is not null)) not valid`,
    );
    // These read the whole table, while servers go on writing.
    await db.query('alter table ledger_entry validate constraint ledger_entry_kind_known');
    await db.query('alter table ledger_entry validate constraint ledger_entry_terms_move_nothing');
    // what a build leaves that was interrupted
    await db.query('drop index if exists ledger_entry_terms');
    // A read never touches this index.
    await db.query(`create index concurrently ledger_entry_terms on ledger_entry (balance_id, sequence) where kind in ('terms', 'token')`);
    await db.query('drop index if exists token_lookup_token');
    await db.query('create index concurrently token_lookup_token on token_lookup (balance_id, token_id)');
    // Nothing is written until the rooms' SQL files replace the bodies: together with the functions that expect it, in one transaction. A
    // change in between is among the first terms that a job writes.
    for (const name of ['balance_terms_changed', 'token_changed']) {
      await db.query(`create or replace function ${name}() returns trigger language plpgsql as 'begin return null; end'`);
    }
    for (const { name, table, event, run } of triggers) {
      await db.query(`drop trigger if exists ${name} on ${table}`);
      await withoutQueue(
        db,
        `create constraint trigger ${name} after ${event} on ${table} deferrable initially deferred for each row execute function ${run}`,
      );
    }
  }

  async down(db: QueryRunner): Promise<void> {
    for (const { name, table } of triggers) await db.query(`drop trigger ${name} on ${table}`);
    await db.query('drop index token_lookup_token');
    await db.query('drop index ledger_entry_terms');
    // Not valid: entries of the new kinds stay.
    await db.query(`
      alter table ledger_entry
        drop constraint ledger_entry_terms_move_nothing,
        drop constraint ledger_entry_kind_known,
        add constraint ledger_entry_kind_known
          check (kind in ('grant', 'read', 'replay', 'reversal', 'expiry', 'adjustment')) not valid
    `);
  }
}

const triggers = [
  {
    name: 'credit_balance_terms',
    table: 'credit_balance',
    // All of terms_of, and none that a read changes.
    event: `update of account_id, plan, grant_records, overage_unit_cents, overage_cap, is_metered, is_closed, period_anchor, period_end,
                      ends_at, renew_until`,
    run: 'balance_terms_changed()',
  },
  { name: 'token_lookup_issued', table: 'token_lookup', event: 'insert', run: `token_changed('token_id')` },
  { name: 'api_token_revoked', table: 'api_token', event: 'update of revoked_at', run: `token_changed('id')` },
];

const lockNotAvailable = '55P03';

/**
 * While such a statement waits for its table's lock, all who come later wait behind it. So it gives up soon, and tries again until the
 * statement ahead of it has ended, which may be an audit of an hour.
 */
async function withoutQueue(db: QueryRunner, sql: string): Promise<void> {
  await db.query(`set lock_timeout = '300ms'`);
  for (;;) {
    try {
      await db.query(sql);
      break;
    } catch (error) {
      if ((error as { code?: string }).code !== lockNotAvailable) throw error;
      await pause(1_000);
    }
  }
  await db.query('reset lock_timeout');
}
