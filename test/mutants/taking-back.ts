import type { Mutants } from './mutant.js';

export const takingBackMutants: Mutants = {
  'ledger/sql/delivery.sql': [
    [
      'a read that was repeated can be taken back',
      'if exists (select from ledger_entry where balance_id = p_balance_id and repeats = p_entry_id) then return null; end if;',
      '',
    ],
    ['a read can be taken back twice', 'if e.id is not null then return e.id; end if;', ''],
    [
      'a reversal does not lock the balance',
      'into strict b from credit_balance where id = p_balance_id for update;',
      'into strict b from credit_balance where id = p_balance_id;',
    ],
    [
      'a late reversal gives credits back that have expired',
      'case when o.period_start = b.period_start and not b.is_closed',
      'case when not b.is_closed',
    ],
    [
      'a reversal gives credits back to a trial that was replaced',
      'o.period_start = b.period_start and not b.is_closed',
      'o.period_start = b.period_start',
    ],
    [
      'a reversal lifts a trial beyond what it was granted',
      "if b.plan = 'trial' then e.credits := least(e.credits, b.grant_records - b.remaining); end if;",
      '',
    ],
    ['a late reversal stands in the present period', 'e.period_start := o.period_start;', ''],
    ['a reversal leaves the overage', 'e.overage_records := -least(o.records, greatest(0, v_overage));', 'e.overage_records := 0;'],
    ['a reversal gives credits back beside overage', '-least(o.records, greatest(0, v_overage));', '-o.overage_records;'],
    [
      'a read that was taken back is still on its way',
      'delete from undelivered_read where balance_id = p_balance_id and entry_id = p_entry_id;',
      '',
    ],
    [
      'a read that was claimed can be taken back by its request',
      'delete from undelivered_read where balance_id = p_balance_id and request_id = p_request_id returning entry_id into v_entry_id;',
      `select id into v_entry_id from ledger_entry where balance_id = p_balance_id and request_id = p_request_id and kind = 'read';`,
    ],
    ['claims lock their rows as they come', ' order by r.balance_id, r.request_id', ''],
    [
      'taking back does not wait for a repeat under way',
      'perform from credit_balance where id = p_balance_id for update;\n  delete',
      'delete',
    ],
    ['the reversal of a request takes any entry of it for its read', "l.kind = 'read' and l.request_id", 'l.request_id'],
    ['the reversal of a request takes back any read', ' and l.request_id = p_request_id', ''],
    [
      'the reversal of a request looks at the latest entries only',
      'l.sequence > entries_before(p_balance_id, service_now() - p_spent_within)',
      'l.sequence > (select entry_count - 1000 from credit_balance where id = p_balance_id)',
    ],
    [
      'a spend that comes after its request was given up is not refused',
      'select id, p_request_id from credit_balance where id = p_balance_id',
      'select id, p_request_id from credit_balance where false',
    ],
    [
      'a read can be taken back however long ago its account was shown the records',
      ' or entry_time(v_entry_id) < service_now() - taken_back_within()',
      '',
    ],
    [
      'a read that its account is shown can still be taken back',
      "r := repeat_read(b, e.id, p_request_id, null, 'shown in console');",
      'select b, e into r;',
    ],
    ['a claimed read that its account is shown can still be taken back', 'e.at > service_now() - 2 * taken_back_within()', 'false'],
    [
      'a read that was taken back is shown',
      'if exists (select from ledger_entry l where l.balance_id = e.balance_id and l.reverses = e.id) then return null; end if;',
      '',
    ],
    ['a read is shown to another account', 'c.account_id = p_account_id and ', ''],
    ['the sweep takes back what is on its way', 'spent_at < clock_timestamp() - p_older_than', 'true'],
    ['the sweep takes more than it was told', ' limit p_limit', ''],
    ['the sweep waits for a balance that somebody holds', 'for update of b skip locked', 'for update of b'],
  ],
  'ledger/sql/periods.sql': [
    ['a late reversal leaves overage that was paid for while it held what is included', 'select l.overage_after from', 'select 0 from'],
    ['late reversals of a period give its overage back several times', 'and v.sequence > p.next_grant', 'and false'],
    ['a late reversal looks at all that was read since its period', "and v.kind <> 'read' and v.reverses is not null", ''],
  ],
  'ledger/sql/spending.sql': [
    [
      'repeats lock their rows in another order than claims',
      'order by w.balance_id, w.request_id for update',
      'order by w.balance_id, w.request_id desc for update',
    ],
  ],
};
