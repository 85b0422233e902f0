import type { Mutants } from './mutant.js';

export const periodMutants: Mutants = {
  'ledger/sql/periods.sql': [
    ['a period is opened before its time', 'v_now < b.period_end or ', ''],
    ['a period is opened for a balance that has ended', ' or b.ends_at <= v_now', ''],
    ['a period is opened that is more than one ahead of its payment', 'if b.renew_until < v_start then return; end if;', ''],
    [
      'months are counted from the last end, not from the anchor',
      'b := open_period(b, v_start, period_boundary(b.period_anchor, v_months + 1));',
      'b := open_period(b, v_start, period_boundary(v_start, 1));',
    ],
    ['what is left of a period does not expire', 'if b.remaining > 0 then', 'if false then'],
    ['overage goes on counting in the next period', 'b.overage_records := 0;', ''],
    ['a period begins within the one before it', 'new.period_start < old.period_end and', 'false and'],
  ],
  'ledger/sql/spending.sql': [
    ['a read gets an empty page when a period that is used up ends meanwhile', 'if records = 0 and v_wanted > 0 then', 'if false then'],
    ['a period that ends while another one is opened has its reads refused', 'v_looked_at := v_now;', "v_looked_at := 'infinity';"],
  ],
  'ledger/sql/balances.sql': [
    ['an operator lifts a trial beyond what it was granted', "when b.plan = 'trial' then b.grant_records ", ''],
    ['an operator gives to a trial that was replaced', 'when b.is_closed then b.remaining ', ''],
    ['a correction is written into a period that is over', 'b := open_due_period(b);', ''],
    ['a correction takes a balance below zero', 'not between 0 and remaining_max', 'not between -1 and remaining_max'],
  ],
  'tokens/tokens.sql': [
    ['an account has two active trials', 'if exists (', 'if false and exists ('],
    [
      'two who ask at the same moment get a trial each',
      "perform pg_advisory_xact_lock(hashtextextended('issue_trial ' || p_account_id, 0));",
      '',
    ],
    [
      'a trial that was replaced stays open',
      "update credit_balance set is_closed = true where account_id = p_account_id and plan = 'trial' and not is_closed;",
      '',
    ],
  ],
  'billing/subscriptions/sql/subscriptions.sql': [
    ['a period is granted twice when its invoice is told of twice', 'p_start > b.period_start', 'p_start >= b.period_start'],
    ['a period is granted without a payment', 'v_is_next := p_is_paid and p_start', 'v_is_next := p_start'],
    ['an old invoice takes back what a newer one paid', 'greatest(renew_until, p_end)', 'p_end'],
  ],
  'ledger/sql/entries.sql': [['times go back with the clock', 'b.last_entry_at, b.period_start);', 'b.period_start);']],
};
