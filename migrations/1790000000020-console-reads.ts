import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the console's questions to the ledger need, at next to no cost for those who write it. */
export class ConsoleReads1790000000020 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // Reads are nearly all of a ledger. What is left is found at once, and a read never touches this index.
    await db.query(`create index ledger_entry_but_reads on ledger_entry (balance_id, sequence) where kind <> 'read'`);
    // No entry of this moment or later has a smaller id: the primary key serves as the index by time.
    await db.query(`
      create function entry_id_floor(at timestamptz) returns uuid language sql immutable
      return encode(
        substring(int8send(floor(extract(epoch from at) * 1000)::bigint) from 3) || decode(repeat('00', 10), 'hex'),
        'hex')::uuid
    `);
    // Opens the periods that an account's balances are in by now, as a first read would, so that people see the present one.
    await db.query(`
      create function open_due_periods(p_account_id text) returns void language plpgsql as $$
      declare b credit_balance;
      begin
        for b in
          select * from credit_balance
           where account_id = p_account_id and plan = 'paid' and period_end <= service_now()
           for update
        loop
          perform open_due_period(b);
        end loop;
      end $$
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop function open_due_periods, entry_id_floor`);
    await db.query(`drop index ledger_entry_but_reads`);
  }
}
