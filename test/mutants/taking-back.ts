import type { Mutant } from './mutant.js';

const delivery = 'ledger/sql/delivery.sql';
const periods = 'ledger/sql/periods.sql';
const spending = 'ledger/sql/spending.sql';

export const takingBackMutants: Mutant[] = [
  {
    fault: 'a read that was repeated can be taken back',
    file: delivery,
    find: 'if exists (select from ledger_entry where balance_id = p_balance_id and repeats = p_entry_id) then return null; end if;',
    replace: '',
  },
  {
    fault: 'a read can be taken back twice',
    file: delivery,
    find: 'if e.id is not null then return e.id; end if;',
    replace: '',
  },
  {
    fault: 'a reversal does not lock the balance',
    file: delivery,
    find: 'into strict b from credit_balance where id = p_balance_id for update;',
    replace: 'into strict b from credit_balance where id = p_balance_id;',
  },
  {
    fault: 'a late reversal gives credits back that have expired',
    file: delivery,
    find: 'case when o.period_start = b.period_start and not b.is_closed',
    replace: 'case when not b.is_closed',
  },
  {
    fault: 'a reversal gives credits back to a trial that was replaced',
    file: delivery,
    find: 'o.period_start = b.period_start and not b.is_closed',
    replace: 'o.period_start = b.period_start',
  },
  {
    fault: 'a reversal lifts a trial beyond what it was granted',
    file: delivery,
    find: "if b.plan = 'trial' then e.credits := least(e.credits, b.grant_records - b.remaining); end if;",
    replace: '',
  },
  {
    fault: 'a late reversal stands in the present period',
    file: delivery,
    find: 'e.period_start := o.period_start;',
    replace: '',
  },
  {
    fault: 'a reversal leaves the overage',
    file: delivery,
    find: 'e.overage_records := -least(o.records, greatest(0, v_overage));',
    replace: 'e.overage_records := 0;',
  },
  {
    fault: 'a late reversal leaves overage that was paid for while it held what is included',
    file: periods,
    find: 'select l.overage_after from',
    replace: 'select 0 from',
  },
  {
    fault: 'late reversals of a period give its overage back several times',
    file: periods,
    find: 'and v.sequence > p.next_grant',
    replace: 'and false',
  },
  {
    fault: 'a late reversal looks at all that was read since its period',
    file: periods,
    find: "and v.kind <> 'read' and v.reverses is not null",
    replace: '',
  },
  {
    fault: 'a reversal gives credits back beside overage',
    file: delivery,
    find: '-least(o.records, greatest(0, v_overage));',
    replace: '-o.overage_records;',
  },
  {
    fault: 'a read that was taken back is still on its way',
    file: delivery,
    find: 'delete from undelivered_read where balance_id = p_balance_id and entry_id = p_entry_id;',
    replace: '',
  },
  {
    fault: 'a read that was claimed can be taken back by its request',
    file: delivery,
    find: 'delete from undelivered_read where balance_id = p_balance_id and request_id = p_request_id returning entry_id into v_entry_id;',
    replace: `select id into v_entry_id from ledger_entry where balance_id = p_balance_id and request_id = p_request_id and kind = 'read';`,
  },
  {
    fault: 'claims lock their rows as they come',
    file: delivery,
    find: ' order by r.balance_id, r.request_id',
    replace: '',
  },
  {
    fault: 'repeats lock their rows in another order than claims',
    file: spending,
    find: 'order by w.balance_id, w.request_id for update',
    replace: 'order by w.balance_id, w.request_id desc for update',
  },
  {
    fault: 'taking back does not wait for a repeat under way',
    file: delivery,
    find: 'perform from credit_balance where id = p_balance_id for update;\n  delete',
    replace: 'delete',
  },
  {
    fault: 'the reversal of a request takes any entry of it for its read',
    file: delivery,
    find: "l.kind = 'read' and l.request_id",
    replace: 'l.request_id',
  },
  {
    fault: 'the reversal of a request takes back any read',
    file: delivery,
    find: ' and l.request_id = p_request_id',
    replace: '',
  },
  {
    fault: 'the reversal of a request looks at the latest entries only',
    file: delivery,
    find: 'l.sequence > entries_before(p_balance_id, service_now() - p_spent_within)',
    replace: 'l.sequence > (select entry_count - 1000 from credit_balance where id = p_balance_id)',
  },
  {
    fault: 'a spend that comes after its request was given up is not refused',
    file: delivery,
    find: 'select id, p_request_id from credit_balance where id = p_balance_id',
    replace: 'select id, p_request_id from credit_balance where false',
  },
  {
    fault: 'a read can be taken back however long ago its account was shown the records',
    file: delivery,
    find: ' or entry_time(v_entry_id) < service_now() - taken_back_within()',
    replace: '',
  },
  {
    fault: 'a read that its account is shown can still be taken back',
    file: delivery,
    find: "r := repeat_read(b, e.id, p_request_id, null, 'shown in console');",
    replace: 'select b, e into r;',
  },
  {
    fault: 'a claimed read that its account is shown can still be taken back',
    file: delivery,
    find: 'e.at > service_now() - 2 * taken_back_within()',
    replace: 'false',
  },
  {
    fault: 'a read that was taken back is shown',
    file: delivery,
    find: 'if exists (select from ledger_entry l where l.balance_id = e.balance_id and l.reverses = e.id) then return null; end if;',
    replace: '',
  },
  {
    fault: 'a read is shown to another account',
    file: delivery,
    find: 'c.account_id = p_account_id and ',
    replace: '',
  },
  {
    fault: 'the sweep takes back what is on its way',
    file: delivery,
    find: 'spent_at < clock_timestamp() - p_older_than',
    replace: 'true',
  },
  {
    fault: 'the sweep takes more than it was told',
    file: delivery,
    find: ' limit p_limit',
    replace: '',
  },
  {
    fault: 'the sweep waits for a balance that somebody holds',
    file: delivery,
    find: 'for update of b skip locked',
    replace: 'for update of b',
  },
];
