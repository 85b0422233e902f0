import { type AuditStep, ask, type BooksCheck, rowsOf } from '../../ledger/books-check.js';
import { sha256 } from '../../proofs/log/tree.js';
import { hashEntry, type LedgerLine } from '../../proofs/verifier/verify-ledger.js';
import type { ProvenLog } from './log-tree-check.js';

const fetchedAtOnce = 5_000;

// One text a row, since 25 columns cost the driver as much again as all else. A separator within a field makes one field too many, so it is
// noticed. Text begins with `=`, so null and '' differ. No function of ours is called: a superuser may have replaced it.
const separator = '\x1f';
const seconds = (column: string) => `date_part('epoch', e.${column})`;
const inHex = (column: string) => `encode(e.${column}, 'hex')`;
const text = (column: string) => `'=' || e.${column}`;
const columns = [
  ...['e.balance_id', 'e.sequence', 'e.id', 'e.token_id', 'e.kind', seconds('at'), 'e.records', 'e.credits', 'e.overage_records'],
  ...['e.overage_cents', 'e.balance_after', 'e.overage_after', seconds('period_start'), 'e.segments', 'e.county_fips', 'e.attempt'],
  ...['e.reverses', 'e.repeats', inHex('request_hash'), text('request_id'), text('idempotency_key'), text('reason'), text('actor')],
  ...[inHex('previous_hash'), inHex('hash')],
];

const entries = `select concat(${columns.join(', chr(31), ')}) as fields from ledger_entry e order by e.balance_id, e.sequence`;

const firstWrongLeaf = `
  select case
           when e.id is not null then format('entry %s of balance %s (%s) is not the one that was logged', l.sequence, l.balance_id, e.id)
           when n.last is null then format('balance %s has no entries: %s were logged', l.balance_id, l.sequence)
           else format('balance %s ends with entry %s: %s were logged', l.balance_id, n.last, l.sequence)
         end as broken
    from (
      select split_part(text, ' ', 2)::uuid as balance_id, split_part(text, ' ', 3)::integer as sequence,
             decode(split_part(text, ' ', 4), 'hex') as head
        from log_leaf
       where origin_id = $1 and leaf_index < $2 and text ~ '^balance [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12} [0-9]{1,9} [0-9a-f]{64}$'
    ) l
    left join ledger_entry e on e.balance_id = l.balance_id and e.sequence = l.sequence
   cross join lateral (select max(sequence) as last from ledger_entry b where b.balance_id = l.balance_id) n
   where e.hash is distinct from l.head
   limit 1`;

/** Computes every entry's hash in our own code, from a balance's first entry on, and compares each leaf with its entry. */
export const loggedEntriesCheck = (proven: () => ProvenLog | null): BooksCheck => ({
  invariant: 'every entry has the hash that we compute, follows the one before it, and is the one that was logged',
  async *run(db) {
    const [{ total } = { total: 0 }] = await ask<{ total: number }>(db, 'select sum(entry_count)::float as total from credit_balance');
    const chain = new Chain();
    let done = 0;
    for await (const rows of rowsOf<{ fields: string }>(db, entries, [], fetchedAtOnce)) {
      let firstBreak: string | null = null;
      for (const { fields } of rows) firstBreak ??= chain.faultOf(lineOf(fields));
      done += rows.length;
      yield { checked: rows.length, firstBreak, share: Math.min(1, done / total) } satisfies AuditStep;
    }
    const log = proven();
    const [wrong] = await ask<{ broken: string }>(db, firstWrongLeaf, [log?.originId ?? 0, log?.size ?? 0]);
    yield { checked: 0, firstBreak: wrong?.broken ?? null, share: 1 };
  },
});

/** The entry that the next one of its balance must follow. */
class Chain {
  private balanceId = '';
  private sequence = 0;
  private hash = '';

  faultOf(line: LedgerLine): string | null {
    const { balance_id: balanceId, sequence } = line;
    if (balanceId !== this.balanceId) [this.balanceId, this.sequence, this.hash] = [balanceId, 0, '0'.repeat(64)];
    const name = () => `entry ${sequence} of balance ${balanceId} (${line.id})`;
    if (sequence !== this.sequence + 1) return `${name()} follows entry ${this.sequence}`;
    if (line.previous_hash !== this.hash) return `${name()} does not follow the one before it`;
    if ((hashEntry(line, sha256) as Buffer).toString('hex') !== line.hash) return `${name()} does not have the hash of what it says`;
    [this.sequence, this.hash] = [sequence, line.hash];
    return null;
  }
}

function lineOf(fields: string): LedgerLine {
  const f = fields.split(separator);
  return {
    hash_version: 1,
    balance_id: f[0]!,
    sequence: Number(f[1]),
    id: f[2]!,
    token_id: f[3] || null,
    kind: f[4]!,
    at: Math.round(Number(f[5]) * 1e6),
    records: Number(f[6]),
    credits: Number(f[7]),
    overage_records: Number(f[8]),
    overage_cents: Number(f[9]),
    balance_after: Number(f[10]),
    overage_after: Number(f[11]),
    period_start: Math.round(Number(f[12]) * 1e6),
    segments: f[13] === '{}' ? [] : f[13]!.slice(1, -1).split(',').map(Number),
    county_fips: f[14] || null,
    attempt: Number(f[15]),
    reverses: f[16] || null,
    repeats: f[17] || null,
    request_hash: f[18] || null,
    request_id: textIn(f[19]!),
    idempotency_key: textIn(f[20]!),
    reason: textIn(f[21]!),
    actor: textIn(f[22]!),
    previous_hash: f[23]!,
    // A field too many changes this one.
    hash: f.slice(24).join(separator),
  };
}

const textIn = (field: string): string | null => (field === '' ? null : field.slice(1));
