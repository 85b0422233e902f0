import type { Mutant } from './mutant.js';

const balances = 'ledger/sql/balances.sql';
const periods = 'ledger/sql/periods.sql';
const spending = 'ledger/sql/spending.sql';
const trial = 'tokens/tokens.sql';
const follow = 'billing/subscriptions/sql/subscriptions.sql';

export const periodMutants: Mutant[] = [
  {
    fault: 'a period is opened before its time',
    file: periods,
    find: 'v_now < b.period_end or ',
    replace: '',
  },
  {
    fault: 'a period is opened for a balance that has ended',
    file: periods,
    find: ' or b.ends_at <= v_now',
    replace: '',
  },
  {
    fault: 'a period is opened that is more than one ahead of its payment',
    file: periods,
    find: 'if b.renew_until < v_start then return; end if;',
    replace: '',
  },
  {
    fault: 'a read gets an empty page when a period that is used up ends meanwhile',
    file: spending,
    find: 'if records = 0 and v_wanted > 0 then',
    replace: 'if false then',
  },
  {
    fault: 'a period that ends while another one is opened has its reads refused',
    file: spending,
    find: 'v_looked_at := v_now;',
    replace: "v_looked_at := 'infinity';",
  },
  {
    fault: 'months are counted from the last end, not from the anchor',
    file: periods,
    find: 'b := open_period(b, v_start, period_boundary(b.period_anchor, v_months + 1));',
    replace: 'b := open_period(b, v_start, period_boundary(v_start, 1));',
  },
  {
    fault: 'what is left of a period does not expire',
    file: periods,
    find: 'if b.remaining > 0 then',
    replace: 'if false then',
  },
  {
    fault: 'overage goes on counting in the next period',
    file: periods,
    find: 'b.overage_records := 0;',
    replace: '',
  },
  {
    fault: 'an operator lifts a trial beyond what it was granted',
    file: balances,
    find: "when b.plan = 'trial' then b.grant_records ",
    replace: '',
  },
  {
    fault: 'an operator gives to a trial that was replaced',
    file: balances,
    find: 'when b.is_closed then b.remaining ',
    replace: '',
  },
  {
    fault: 'a correction is written into a period that is over',
    file: balances,
    find: 'b := open_due_period(b);',
    replace: '',
  },
  {
    fault: 'a correction takes a balance below zero',
    file: balances,
    find: 'not between 0 and remaining_max',
    replace: 'not between -1 and remaining_max',
  },
  {
    fault: 'an account has two active trials',
    file: trial,
    find: 'if exists (',
    replace: 'if false and exists (',
  },
  {
    fault: 'two who ask at the same moment get a trial each',
    file: trial,
    find: "perform pg_advisory_xact_lock(hashtextextended('issue_trial ' || p_account_id, 0));",
    replace: '',
  },
  {
    fault: 'a trial that was replaced stays open',
    file: trial,
    find: "update credit_balance set is_closed = true where account_id = p_account_id and plan = 'trial' and not is_closed;",
    replace: '',
  },
  {
    fault: 'a period is granted twice when its invoice is told of twice',
    file: follow,
    find: 'p_start > b.period_start',
    replace: 'p_start >= b.period_start',
  },
  {
    fault: 'a period begins within the one before it',
    file: periods,
    find: 'new.period_start < old.period_end and',
    replace: 'false and',
  },
  {
    fault: 'times go back with the clock',
    file: 'ledger/sql/entries.sql',
    find: 'b.last_entry_at, b.period_start);',
    replace: 'b.period_start);',
  },
  {
    fault: 'a period is granted without a payment',
    file: follow,
    find: 'v_is_next := p_is_paid and p_start',
    replace: 'v_is_next := p_start',
  },
  {
    fault: 'an old invoice takes back what a newer one paid',
    file: follow,
    find: 'greatest(renew_until, p_end)',
    replace: 'p_end',
  },
];
