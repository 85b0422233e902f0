import type { Mutant } from './mutant.js';

const spend = 'usage/sql/spend.sql';
const append = 'usage/sql/append_entry.sql';
const rejection = 'usage/sql/token_rejection.sql';
const repeat = 'usage/sql/repeat_read.sql';

const secondLook = 'select t.revoked_at into strict v_revoked_at from api_token t where t.balance_id = p_balance_id and t.id = p_token_id;';

export const spendingMutants: Mutant[] = [
  {
    fault: 'the cap gives one record too many',
    file: spend,
    find: 'coalesce(b.overage_cap - b.overage_records, v_wanted)',
    replace: 'coalesce(b.overage_cap - b.overage_records + 1, v_wanted)',
  },
  {
    fault: 'the cap holds for each read by itself',
    file: spend,
    find: 'coalesce(b.overage_cap - b.overage_records, v_wanted)',
    replace: 'coalesce(b.overage_cap, v_wanted)',
  },
  {
    fault: 'a trial goes into overage',
    file: spend,
    find: 'if b.overage_unit_cents is not null then',
    replace: 'if true then',
  },
  {
    fault: 'the segments are not cut to what was granted',
    file: spend,
    find: 'array[p_segments[i - 2], p_segments[i - 1], least(p_segments[i], v_left)]',
    replace: 'array[p_segments[i - 2], p_segments[i - 1], p_segments[i]]',
  },
  {
    fault: 'the oldest attempt of a key counts, not the newest',
    file: spend,
    find: 'order by l.attempt desc limit 1',
    replace: 'order by l.attempt limit 1',
  },
  {
    fault: 'a key whose read was taken back still repeats it',
    file: spend,
    find: 'if not exists (select from ledger_entry',
    replace: 'if true or not exists (select from ledger_entry',
  },
  {
    fault: 'a key is good for any request',
    file: spend,
    find: 'if e.request_hash <> p_request_hash then',
    replace: 'if false then',
  },
  {
    fault: 'what a key was used for is not written down',
    file: spend,
    find: 'e.request_hash := p_request_hash;',
    replace: 'e.request_hash := null;',
  },
  {
    fault: 'a key is shared by all tokens of the balance',
    file: spend,
    find: 'and l.token_id = p_token_id and l.idempotency_key',
    replace: 'and l.idempotency_key',
  },
  {
    fault: 'the token is not looked at',
    file: spend,
    find: secondLook,
    replace: 'v_revoked_at := null;',
  },
  {
    fault: 'the token is looked at before the lock only',
    file: spend,
    // The row as it was when the statement began, which is before it waited.
    find: secondLook,
    replace: `select t.revoked_at into strict v_revoked_at from api_token t where t.balance_id = p_balance_id and t.id = p_token_id;
  if v_revoked_at > statement_timestamp() then v_revoked_at := null; end if;`,
  },
  {
    fault: 'a revoked token may repeat what it bought',
    file: spend,
    find: "if decision in ('revoked', 'expired') then return; end if;",
    replace: "if decision = 'expired' then return; end if;",
  },
  {
    fault: 'an exhausted token may not repeat what it bought',
    file: spend,
    find: "if decision in ('revoked', 'expired') then return; end if;",
    replace: 'if decision is not null then return; end if;',
  },
  {
    fault: 'the version of coverage is not compared',
    file: spend,
    find: 'if p_coverage_version <> (select version from coverage_version) then',
    replace: 'if false then',
  },
  {
    fault: 'a read leaves no word until it is delivered',
    file: spend,
    find: 'if e.records > 0 then',
    replace: 'if false then',
  },
  {
    fault: 'the balance is not locked',
    file: spend,
    find: 'where id = p_balance_id for update;',
    replace: 'where id = p_balance_id;',
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
    find: 'if b.period_end <= service_now() then b := open_due_period(b); end if;',
    replace: '',
  },
  {
    fault: 'a repeat is not written down',
    file: spend,
    find: 'entry_id := repeat_read(b, e, p_request_id);',
    replace: 'entry_id := e.id;',
  },
  {
    fault: 'a repeat leaves its read to the sweep',
    file: repeat,
    find: 'where u.balance_id = b.id and u.entry_id = p_read.id',
    replace: 'where false',
  },
  {
    fault: 'a repeat moves the balance',
    file: repeat,
    find: 'e.records := p_read.records;',
    replace: 'e.records := p_read.records; e.credits := p_read.credits;',
  },
  {
    fault: 'overage has one price for all',
    file: append,
    find: 'e.overage_records::bigint * coalesce(b.overage_unit_cents, 0)',
    replace: 'e.overage_records::bigint * 5',
  },
  {
    fault: 'a late reversal lowers the overage of the present period',
    file: append,
    find: 'if e.period_start = b.period_start then',
    replace: 'if true then',
  },
  {
    fault: 'entries do not follow one another',
    file: append,
    find: 'e.previous_hash := b.chain_head;',
    replace: "e.previous_hash := decode(repeat('00', 32), 'hex');",
  },
  {
    fault: 'the balance does not keep the head of its chain',
    file: append,
    find: 'b.chain_head := e.hash;',
    replace: '',
  },
  {
    fault: 'overage that is taken back is still sent to the meter',
    file: append,
    find: 'if b.is_metered and e.overage_records <> 0 then',
    replace: 'if b.is_metered and e.overage_records > 0 then',
  },
  {
    fault: "overage of an operator's tokens is sent to the meter",
    file: append,
    find: 'if b.is_metered and e.overage_records <> 0 then',
    replace: 'if e.overage_records <> 0 then',
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
    find: "when p_ends_at <= service_now() then 'expired'",
    replace: "when false then 'expired'",
  },
  {
    fault: 'an unpaid period is as good as a paid one',
    file: rejection,
    find: "case when p_renew_until < p_period_end then 'expired' end",
    replace: 'null',
  },
  ...[
    ['its segments', 'e.segments::text'],
    ['what it repeats', 'e.repeats'],
    ['what it reverses', 'e.reverses'],
    ['its period', 'extract(epoch from e.period_start)'],
    ['its actor', 'quote_nullable(e.actor)'],
    ['its key', 'quote_nullable(e.idempotency_key)'],
    ['its request', "encode(e.request_hash, 'hex')"],
  ].map(([field, expression]) => ({
    fault: `the hash of an entry leaves out ${field}`,
    file: 'usage/sql/ledger_hash.sql',
    find: expression!,
    replace: "''",
  })),
  {
    fault: 'no reason and an empty one have the same hash',
    file: 'usage/sql/ledger_hash.sql',
    find: 'quote_nullable(e.reason)',
    replace: 'e.reason',
  },
];
