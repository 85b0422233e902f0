import { type AuditStep, type BooksCheck, rowsOf } from '../../ledger/books-check.js';
import { sha256 } from '../../proofs/log/tree.js';
import { hashEntry, type LedgerLine } from '../../proofs/verifier/verify-ledger.js';
import type { ProvenLog } from './log-tree-check.js';

type EntryRow = Omit<LedgerLine, 'segments'> & {
  segments: string | null;
  /** The leaf of this entry: whose it is, and its hash. */
  logged_balance: string | null;
  logged_sequence: number | null;
  logged_head: string | null;
};

const fetchedAtOnce = 5_000;

// No function of ours: a superuser may have replaced it. The keys are those of an export's line.
const micros = (column: string) => `(extract(epoch from ${column}) * 1000000)::float`;
const entriesAndLeaves = `
  select e.balance_id, e.sequence, e.id, e.token_id, e.kind, ${micros('e.at')} as at, e.records, e.credits, e.overage_records,
         e.overage_cents::float as overage_cents, e.balance_after, e.overage_after, ${micros('e.period_start')} as period_start,
         e.segments::text as segments, e.county_fips, e.attempt, e.reverses, e.repeats, encode(e.request_hash, 'hex') as request_hash,
         e.request_id, e.idempotency_key, e.reason, e.actor, encode(e.previous_hash, 'hex') as previous_hash, encode(e.hash, 'hex') as hash,
         l.balance_id as logged_balance, l.sequence as logged_sequence, l.head as logged_head
    from ledger_entry e
    full join (
      select split_part(text, ' ', 2)::uuid as balance_id, split_part(text, ' ', 3)::integer as sequence, split_part(text, ' ', 4) as head
        from log_leaf
       where origin_id = $1 and leaf_index < $2 and text ~ '^balance [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12} [0-9]{1,9} [0-9a-f]{64}$'
    ) l on l.balance_id = e.balance_id and l.sequence = e.sequence
   order by coalesce(e.balance_id, l.balance_id), coalesce(e.sequence, l.sequence)`;

/** Computes every entry's hash in our own code, from a balance's first entry on, and compares it with each leaf. */
export const loggedEntriesCheck = (proven: () => ProvenLog | null): BooksCheck => ({
  invariant: 'every entry has the hash that we compute, follows the one before it, and is the one that was logged',
  async *run(db) {
    const log = proven();
    const chain = new Chain();
    for await (const rows of rowsOf<EntryRow>(db, entriesAndLeaves, [log?.originId ?? 0, log?.size ?? 0], fetchedAtOnce)) {
      let firstBreak: string | null = null;
      for (const row of rows) firstBreak ??= chain.faultOf(row);
      yield { checked: rows.length, firstBreak, share: 0 } satisfies AuditStep;
    }
  },
});

class Chain {
  private balanceId: string | null = null;
  private sequence = 0;
  private hash = '';

  faultOf(row: EntryRow): string | null {
    const { balance_id: balanceId, sequence, id, logged_head: logged } = row;
    if (balanceId === null) return this.missing(row);
    if (balanceId !== this.balanceId) [this.balanceId, this.sequence, this.hash] = [balanceId, 0, '0'.repeat(64)];
    const name = `entry ${sequence} of balance ${balanceId} (${id})`;
    if (sequence !== this.sequence) {
      if (sequence !== this.sequence + 1) return `${name} follows entry ${this.sequence}`;
      if (row.previous_hash !== this.hash) return `${name} does not follow the one before it`;
      const line = row as unknown as LedgerLine;
      line.segments = row.segments === '{}' ? [] : row.segments!.slice(1, -1).split(',').map(Number);
      if (sha256Hex(line) !== row.hash) return `${name} does not have the hash of what it says`;
      [this.sequence, this.hash] = [sequence, row.hash];
    }
    return logged === null || logged === row.hash ? null : `${name} is not the one that was logged`;
  }

  private missing({ logged_balance: balanceId, logged_sequence: sequence }: EntryRow): string {
    if (balanceId !== this.balanceId) return `balance ${balanceId} has no entries: ${sequence} were logged`;
    return `balance ${balanceId} ends with entry ${this.sequence}: ${sequence} were logged`;
  }
}

const sha256Hex = (line: LedgerLine): string => (hashEntry(line, sha256) as Buffer).toString('hex');
