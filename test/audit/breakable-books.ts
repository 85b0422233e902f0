import { cp } from 'node:fs/promises';
import type { Pool } from 'pg';
import { audit } from '../../src/audit/audit.js';
import { checkpointChecks } from '../../src/audit/checkpoint/checkpoint-checks.js';
import { shippedChecks } from '../../src/audit/shipped-checks.js';
import { typeParsers } from '../../src/database/database.js';
import type { BooksCheck } from '../../src/ledger/books-check.js';
import { LedgerExportStore } from '../../src/proofs/ledger-export.store.js';
import { readTrusted, verifyEd25519 } from '../../src/proofs/log/checkpoint.js';
import { KeptCheckpoints } from '../../src/proofs/log/kept-checkpoints.js';
import { LogStore } from '../../src/proofs/log/log.store.js';
import { LogFiles } from '../../src/proofs/log/log-files.js';
import { LogProofs } from '../../src/proofs/log/log-proofs.js';
import { keysOf } from '../../src/proofs/log/log-room.js';
import { CheckpointSigner } from '../../src/proofs/log/sign-checkpoint.js';
import { sha256 } from '../../src/proofs/log/tree.js';
import { followLog, type LedgerReport, verifyLedger } from '../../src/proofs/verifier/verify-ledger.js';
import { adjustment } from '../harness/adjustment.js';
import { createTestDatabase, openPool, type TestDatabase } from '../harness/database.js';
import { publishRecords } from '../harness/records.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import { Books, type BookToken } from '../ledger/books.js';

/** Does what neither the service nor the owner of its tables may do: no trigger and no foreign key stands in the way. */
export const breakBooks = (db: TestDatabase, sql: string) =>
  db.query(`begin; set local session_replication_role = replica; ${sql}; commit`);

/** Keeps the rows of tables: of these, or all. @returns puts them back */
export async function saveTables(db: TestDatabase, tables?: string[]): Promise<() => Promise<unknown>> {
  const all = await db.query<{ name: string }>(`select tablename as name from pg_tables where schemaname = 'public'`);
  const names = tables ?? all.map(({ name }) => name);
  await db.query(
    `drop schema if exists saved cascade; create schema saved; ${names.map((name) => `create table saved.${name} as table ${name}`).join(';')}`,
  );
  return () =>
    breakBooks(db, names.map((name) => `delete from ${name}; insert into ${name} overriding system value table saved.${name}`).join(';'));
}

const middlesex = '25017';
const secret = 'a secret of the tests, long enough';
const keys = keysOf([secret]);

/** Names who is in the books, and hashes a chain anew: what a forger does who knows how entries are chained. */
const helpers = ({ bob, ann }: Record<'bob' | 'ann', BookToken>) => `
  create function bob() returns uuid language sql immutable return '${bob.balanceId}'::uuid;
  create function ann() returns uuid language sql immutable return '${ann.balanceId}'::uuid;
  create function token_of(p_balance_id uuid) returns uuid language sql stable
    return (select token_id from ledger_entry where balance_id = p_balance_id and kind = 'token' limit 1);
  create function chain_anew(p_balance_id uuid) returns void language plpgsql as $$
  declare e ledger_entry; v_hash bytea := decode(repeat('00', 32), 'hex');
  begin
    for e in select * from ledger_entry where balance_id = p_balance_id order by sequence loop
      e.previous_hash := v_hash;
      v_hash := entry_hash(e);
      update ledger_entry set previous_hash = e.previous_hash, hash = v_hash where balance_id = e.balance_id and sequence = e.sequence;
      update credit_balance set chain_head = v_hash, entry_count = e.sequence, last_entry_at = e.at, remaining = e.balance_after, overage_records = e.overage_after
       where id = e.balance_id;
    end loop;
  end $$`;

/** The customers' and others' files of good books, where nobody can change them who changes the database. */
export interface Kept {
  /** The server's DATA_DIR, with the newest checkpoint. */
  dataDir: string;
  older: string;
  newest: string;
  vkey: string;
  receipts: string;
  proofs: string[];
  /** The leaves of the log, as they are stored. */
  leaves: { first: number; texts: string[] }[];
  /** The report of the customers' own check. */
  report: LedgerReport;
}

export type Watcher = 'log' | 'shipped' | 'hour' | 'outside' | 'customer' | 'listed';

/** Good books with a log, for tests that break a copy of them. */
export class BreakableBooks {
  /** Has a metered balance with reads, one of them repeated and one taken back, overage that is billed, an adjustment and a capped token. */
  bob!: BookToken;
  /** Has a trial with a read of three records. */
  ann!: BookToken;
  kept!: Kept;

  private constructor(
    readonly db: TestDatabase,
    readonly pool: Pool,
  ) {}

  static async open(): Promise<BreakableBooks> {
    const db = await createTestDatabase();
    const books = new BreakableBooks(db, openPool(db, { types: typeParsers }));
    const dataDir = await temporaryFolder();
    await books.signer(dataDir).begin();
    await publishRecords(db, middlesex, 30);
    await db.query(`
      insert into billing_customer (account_id, stripe_customer_id, chosen_cap, cap_chosen_at) values ('bob', 'cus_bob', 100, service_now());
      select add_token(b.id, 'bob', 'paid', sha256('bob'), service_now())
        from open_subscription_balance('bob', 10, 5, service_now(), service_now(), service_now() + interval '1 month', null) as b (id)`);
    await db.query(`select issue_trial('ann', 'trial', sha256('ann 1'), 50, interval '30 days')`);
    const holders = await db.query<BookToken>(
      `select token_id as id, balance_id as "balanceId", account_id as "accountId" from token_lookup order by account_id = 'bob'`,
    );
    const [ann, bob] = holders as [BookToken, BookToken];
    Object.assign(books, { ann, bob });
    await db.query(helpers({ ann, bob }));
    await books.spend(ann, 3);
    await books.spend(bob, 4);
    await books.spend(bob, 2, 'a key');
    await books.spend(bob, 2, 'a key');
    await books.spend(bob, 9);
    await db.query(`select reverse_entry($1, $2, 'not delivered', null)`, [bob.balanceId, await books.spend(bob, 5)]);
    await db.query(adjustment(bob.balanceId, 3));
    await db.query('select cap_token($1, $2, 90)', [bob.balanceId, bob.id]);
    await db.query(`
      insert into subscription (id, account_id, stripe_customer_id, status, balance_id, period_start, period_end, kept_cap, created_at)
      select 'sub_bob', 'bob', 'cus_bob', 'active', id, period_start, period_end, 100, period_start from credit_balance where id = bob();
      insert into overage_item (balance_id, period_start, period_end, stripe_customer_id, number, records, unit_cents, way, state)
      select d.balance_id, d.period_start, d.period_end, 'cus_bob', 1, d.records, d.unit_cents, 'draft', 'billed' from overage_due('cus_bob') d;
      delete from overage_change;
      insert into hourly_usage select bob(), date_trunc('day', service_now(), 'UTC') - interval '3 days', bob(), '', 0, 0, 0, 0, 0, 0;
      insert into daily_usage select hour, balance_id, 0, 0, 0, 0, 0 from hourly_usage;
      insert into parcel_attributes select id, 1, 30, '[{"zone":"R1"}]' from parcel_release`);
    await publishRecords(db, middlesex, 30);
    await db.moveClock('1 hour');
    await books.keep(dataDir);
    await db.moveClock('5 minutes');
    await books.pool.end();
    await db.rest();
    return books;
  }

  /** The same books, to be broken. */
  async copy(): Promise<BreakableBooks> {
    const db = await createTestDatabase(this.db);
    const books = new BreakableBooks(db, openPool(db, { types: typeParsers }));
    return Object.assign(books, { bob: this.bob, ann: this.ann, kept: this.kept });
  }

  async close(): Promise<void> {
    await this.pool.end();
    await this.db.drop();
  }

  signer(dataDir = this.kept.dataDir): CheckpointSigner {
    return new CheckpointSigner(this.pool, keys, new KeptCheckpoints(dataDir), 'records.example');
  }

  /** A read that is delivered. @returns its entry */
  async spend(holder: BookToken, records: number, key?: string): Promise<string> {
    const { entry_id } = await Books.of(this.db).spend(holder, records, { ...(key && { key }) });
    await this.db.query('delete from undelivered_read');
    return entry_id!;
  }

  /** Runs the customers' own check of all that they have. */
  async check(kept: Pick<Kept, 'receipts' | 'proofs' | 'vkey'>): Promise<LedgerReport> {
    const store = new LedgerExportStore(this.pool);
    const pages = await Promise.all([this.ann, this.bob].map(({ balanceId }) => store.page(null, balanceId, 0, 5000)));
    const file = Buffer.from(pages.map((page) => page?.text).join(''));
    return verifyLedger([file], {
      sha256,
      verifySignature: verifyEd25519,
      agreed: { overage_unit_cents: 5, grant_records: 10, overage_cap: 100 },
      ...kept,
    });
  }

  private async keep(dataDir: string): Promise<void> {
    const older = (await this.signer(dataDir).sign())!;
    const newest = (await this.signer(dataDir).sign())!;
    const logProofs = new LogProofs(this.pool);
    const proofs = await Promise.all([this.ann, this.bob].map(async ({ balanceId }) => (await logProofs.ofBalance(balanceId, null))!));
    await this.spend(this.bob, 1);
    const vkey = keys[0].vkeyOf((await readTrusted(newest)).origin);
    const receipts = await this.db.query<{ line: string }>(
      `select concat(encode(hash, 'hex'), ' ', request_id) as line from ledger_entry where kind in ('read', 'replay')`,
    );
    const rows = await this.db.query<{ first: number; count: number }>('select first_index::integer as first, count from log_leaves');
    const textsOf = (start: number, count: number) => new LogStore(this.pool).leaves(1, { start, end: start + count });
    const leaves = await Promise.all(rows.map(async ({ first, count }) => ({ first, texts: await textsOf(first, count) })));
    const kept = { dataDir, older, newest, vkey, proofs, leaves, receipts: receipts.map(({ line }) => line).join('\n') };
    this.kept = { ...kept, report: await this.check(kept) };
  }

  /** The fault that each watcher finds, in words. */
  async whoNotices(): Promise<Record<Watcher, string | null>> {
    const { kept, pool } = this;
    const said = async (checks: BooksCheck[]) =>
      (await audit(pool, checks)).flatMap(({ firstBreak }) => (firstBreak && firstBreak !== ourClock ? [firstBreak] : [])).join('; ') ||
      null;
    const report = await this.check(kept);
    const customer = report.difference ?? (report.receipts?.chargedWithoutReceiptCount ? 'a charged read has no receipt' : null);
    const dataDir = await temporaryFolder();
    await cp(kept.dataDir, dataDir, { recursive: true });
    const changes = (each: LedgerReport) => JSON.stringify(each.balances.map((balance) => balance.changes));
    return {
      log: await said(checkpointChecks({ note: kept.older, vkeys: [kept.vkey] })),
      shipped: await said(shippedChecks),
      hour: await this.signer(dataDir)
        .sign()
        .then(
          () => null,
          (error: Error) => error.message,
        ),
      outside: await this.follow(),
      customer,
      listed: customer || changes(report) === changes(kept.report) ? null : changes(report),
    };
  }

  private async follow(): Promise<string | null> {
    const store = new LogStore(this.pool);
    const files = new LogFiles(store);
    const { difference } = await followLog(this.kept.older, this.kept.vkey, {
      sha256,
      verifySignature: verifyEd25519,
      now: 0,
      read: async (path) => {
        const [folder, ...rest] = path.replace('/ledger/', '').split('/');
        if (folder === 'checkpoint') return Buffer.from((await store.newestCheckpoint())?.note ?? '');
        return Buffer.from((await files.file(folder!, rest.join('/')))!.body);
      },
    });
    return difference;
  }
}

const ourClock = 'service_now() is not the function of this version';
