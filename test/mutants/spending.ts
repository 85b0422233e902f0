import type { Mutant } from './mutant.js';

const spend = 'ledger/spending/sql/spend_for_receipt.sql';
const next = 'ledger/entries/sql/next_entry.sql';
const append = 'ledger/entries/sql/append_entry.sql';
const rejection = 'ledger/spending/sql/token_rejection.sql';
const repeat = 'ledger/spending/sql/repeat_read.sql';
const keyed = 'ledger/spending/sql/find_keyed_read.sql';
const mayRepeat = 'ledger/spending/sql/may_repeat.sql';
const freeWait = 'ledger/spending/sql/free_entry_wait.sql';

export const spendingMutants: Mutant[] = [
  {
    fault: 'a read is older than the grant of the period that it opened',
    file: spend,
    find: 'exit when not found;',
    replace: 'exit;',
  },
  {
    fault: 'a key whose read was taken back stays bound to its parameters',
    file: spend,
    find: 'elsif r.id is null or r.is_reversed then',
    replace: 'elsif r.id is null or (r.is_reversed and r.request_hash = q.request_hash) then',
  },
  {
    fault: 'the cap gives one record too many',
    file: spend,
    find: 'coalesce(b.overage_cap - overage_records, v_wanted)',
    replace: 'coalesce(b.overage_cap - overage_records + 1, v_wanted)',
  },
  {
    fault: 'the cap holds for each read by itself',
    file: spend,
    find: 'coalesce(b.overage_cap - overage_records, v_wanted)',
    replace: 'coalesce(b.overage_cap, v_wanted)',
  },
  {
    fault: 'a trial goes into overage',
    file: spend,
    find: 'when b.overage_unit_cents is null then 0',
    replace: 'when false then 0',
  },
  {
    fault: 'the segments are not cut to what was granted',
    file: spend,
    find: 'if records < v_wanted then segments := head_of_segments(segments, records); end if;',
    replace: '',
  },
  {
    fault: 'the oldest attempt of a key counts, not the newest',
    file: keyed,
    find: 'order by l.attempt desc limit 1',
    replace: 'order by l.attempt limit 1',
  },
  {
    fault: 'a key whose read was taken back still repeats it',
    file: spend,
    find: 'elsif r.id is null or r.is_reversed then',
    replace: 'elsif r.id is null then',
  },
  {
    fault: 'a key is good for any request',
    file: spend,
    find: 'elsif r.request_hash <> q.request_hash then',
    replace: 'elsif false then',
  },
  {
    fault: 'a key repeats for ever',
    file: mayRepeat,
    find: "entry_time(p_read_id) > service_now() - interval '24 hours'",
    replace: 'true',
  },
  {
    fault: 'a key repeats however often',
    file: mayRepeat,
    find: 'offset 99',
    replace: 'offset 999',
  },
  {
    fault: 'a key that is over answers a token without credits as if it had some',
    file: spend,
    find: "decision := coalesce(decision, 'replayed');",
    replace: "decision := 'replayed';",
  },
  {
    fault: 'pages without records are not counted within their statement',
    file: spend,
    find: 'v_empty := array_append(v_empty, q.token_id);',
    replace: '',
  },
  {
    fault: 'what costs nothing counts against other tokens',
    file: freeWait,
    find: 'where l.token_id = p_token_id and l.at',
    replace: 'where l.at',
  },
  {
    fault: 'replays are not counted',
    file: freeWait,
    find: "(l.kind = 'replay' or (l.kind = 'read' and l.records = 0))",
    replace: "l.kind = 'read' and l.records = 0",
  },
  {
    fault: 'what a key was used for is not written down',
    file: spend,
    find: 'g.attempt, p_request_hashes[g.n]',
    replace: 'g.attempt, null',
  },
  {
    fault: 'a key is shared by all tokens of the balance',
    file: keyed,
    find: 'and l.token_id = p_token_id and l.idempotency_key',
    replace: 'and l.idempotency_key',
  },
  {
    fault: 'the token is not looked at',
    file: spend,
    find: 'q.revoked_at, b.ends_at',
    replace: 'null, b.ends_at',
  },
  {
    fault: 'the token is looked at before the lock only',
    file: spend,
    find: 'q.revoked_at, b.ends_at',
    replace: 'case when q.revoked_at <= statement_timestamp() then q.revoked_at end, b.ends_at',
  },
  {
    fault: 'a revoked token may repeat what it bought',
    file: spend,
    find: "decision is distinct from 'revoked' and ",
    replace: '',
  },
  {
    fault: 'an exhausted token may not repeat what it bought',
    file: spend,
    find: "and decision is distinct from 'revoked' and decision is distinct from 'expired' then",
    replace: 'and decision is null then',
  },
  {
    fault: 'the version of coverage is not compared',
    file: spend,
    find: 'if decision is null and q.coverage_version <> v_coverage_version then',
    replace: 'if false then',
  },
  {
    fault: 'a read leaves no word until it is delivered',
    file: spend,
    find: 'where g.records > 0;',
    replace: 'where false;',
  },
  {
    fault: 'the balance is not locked',
    file: spend,
    find: 'order by id for update);',
    replace: 'order by id);',
  },
  {
    fault: 'a balance that somebody holds is waited for',
    file: spend,
    find: 'for update skip locked',
    replace: 'for update',
  },
  {
    fault: 'a period that is due is not opened',
    file: spend,
    find: 'perform open_due_period(v_row);',
    replace: 'null;',
  },
  {
    fault: 'a repeat is not written down',
    file: repeat,
    find: 'r := append_entry(b, e);',
    replace: 'r := next_entry(b, e);',
  },
  {
    fault: 'a key is not looked for in what the same statement has granted',
    file: spend,
    find: 'q.idempotency_key = any(v_keys)',
    replace: 'false',
  },
  {
    fault: 'of several reads of a balance in a statement the first one stays',
    file: spend,
    find: 'g_is_newest[v_count] := true;',
    replace: 'g_is_newest[v_count] := v_count = 1;',
  },
  {
    fault: 'a repeat is forgotten by what was granted before it in the statement',
    file: spend,
    find: 'if v_newest is not null then g_is_newest[v_newest] := false; end if;\n        v_newest := null;',
    replace: '',
  },
  {
    fault: 'a repeat stands where what was granted before it stands',
    file: spend,
    find: 'v_row.entry_count := v_sequence;',
    replace: '',
  },
  {
    fault: 'every request of a statement meets its balance as it was before',
    file: spend,
    find: 'if v_balance_id is distinct from q.balance_id then',
    replace: 'if true then',
  },
  {
    fault: 'a read that was taken back frees its key for the attempt that it had',
    file: spend,
    find: 'coalesce(r.attempt + 1, 0)',
    replace: 'coalesce(r.attempt, 0)',
  },
  {
    fault: 'the head of what was wanted is one record short',
    file: 'ledger/entries/sql/head_of_segments.sql',
    find: 'array[p_segments[i - 2], p_segments[i - 1], least(p_segments[i], v_left)]',
    replace: 'array[p_segments[i - 2], p_segments[i - 1] + 1, least(p_segments[i], v_left)]',
  },
  {
    fault: 'a repeat of records that are no longer kept is written down',
    file: repeat,
    find: 'if not are_kept(v_read.segments) then return; end if;',
    replace: '',
  },
  {
    fault: 'what was granted before a repeat that is not given is forgotten',
    file: spend,
    find: 'if entry_id is null then\n          return next;\n          continue;\n        end if;',
    replace: '',
  },
  {
    fault: 'a repeat leaves its read to the sweep',
    file: spend,
    find: 'w.entry_id = any(v_repeated)',
    replace: 'false',
  },
  {
    fault: 'a repeat moves the balance',
    file: repeat,
    find: 'e.records := v_read.records;',
    replace: 'e.records := v_read.records; e.credits := v_read.credits;',
  },
  {
    fault: 'overage has one price for all',
    file: spend,
    find: 'v_overage::bigint * overage_unit_cents',
    replace: 'v_overage::bigint * 5',
  },
  {
    fault: 'what is taken back has one price for all',
    file: next,
    find: 'e.overage_records::bigint * coalesce(b.overage_unit_cents, 0)',
    replace: 'e.overage_records::bigint * 5',
  },
  {
    fault: 'a late reversal lowers the overage of the present period',
    file: next,
    find: 'if e.period_start = b.period_start then',
    replace: 'if true then',
  },
  {
    fault: 'reads do not follow one another',
    file: spend,
    find: 'g_previous_hash[v_count] := v_chain_head;',
    replace: "g_previous_hash[v_count] := decode(repeat('00', 32), 'hex');",
  },
  {
    fault: 'entries do not follow one another',
    file: next,
    find: 'e.previous_hash := b.chain_head;',
    replace: "e.previous_hash := decode(repeat('00', 32), 'hex');",
  },
  {
    fault: 'the balance does not keep the head of its chain',
    file: next,
    find: 'b.chain_head := e.hash;',
    replace: '',
  },
  {
    fault: 'overage that is taken back is still sent to the meter',
    file: append,
    find: 'if e.overage_records <> 0 and b.is_metered then',
    replace: 'if e.overage_records > 0 and b.is_metered then',
  },
  {
    fault: "overage of an operator's tokens is sent to the meter",
    file: spend,
    find: 'where g.overage > 0 and c.is_metered',
    replace: 'where g.overage > 0',
  },
  {
    fault: 'one more read after the cap is reached',
    file: rejection,
    find: 'p_overage_records >= p_overage_cap',
    replace: 'p_overage_records > p_overage_cap',
  },
  {
    fault: 'a token does not expire',
    file: rejection,
    find: "when p_ends_at <= v_now then 'expired'",
    replace: "when false then 'expired'",
  },
  {
    fault: 'an unpaid period is as good as a paid one',
    file: rejection,
    find: "case when p_renew_until < p_period_end then 'expired' end",
    replace: 'null',
  },
  ...[
    ['its segments', 'p_segments::text'],
    ['what it repeats', "p_repeats, '|'"],
    ['what it reverses', "p_reverses, '|'"],
    ['its period', 'extract(epoch from p_period_start)'],
    ['its actor', 'quote_nullable(p_actor)'],
    ['its key', 'quote_nullable(p_idempotency_key)'],
    ['its request', "encode(p_request_hash, 'hex')"],
  ].map(([field, expression]) => ({
    fault: `the hash of an entry leaves out ${field}`,
    file: 'ledger/entries/sql/entry_hash.sql',
    find: expression!,
    replace: "''",
  })),
  {
    fault: 'no reason and an empty one have the same hash',
    file: 'ledger/entries/sql/entry_hash.sql',
    find: 'quote_nullable(p_reason)',
    replace: 'p_reason',
  },
];
