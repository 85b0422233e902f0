import { overageChecks } from '../billing/overage/overage-checks.js';
import { type BooksCheck, checkOfAll } from '../ledger/books-check.js';
import { plans } from '../ledger/plans.js';
import { sumsCheck } from '../usage/sums-check.js';
import { entriesCheck } from './entries/entries-check.js';
import { releaseCheck } from './release-checks.js';

/** Invariants of balances as they are now. Those of their entries are in `entries/`. */
const balanceChecks: BooksCheck[] = [
  checkOfAll(
    'no balance is negative',
    `select count(*)::integer as checked,
            min(format('balance %s has %s credits and %s overage records', id, remaining, overage_records))
              filter (where remaining < 0 or overage_records < 0) as first_break
       from credit_balance`,
  ),
  // Uses the wall clock, as reverse_abandoned does. A row is written with its entry: in one that came later, somebody wants a delivered read
  // reversed.
  checkOfAll(
    'no read waits for its delivery or its reversal longer than a minute',
    `select count(*)::integer as checked,
            min(case when e.id is null then format('request %s of balance %s names no read', u.request_id, u.balance_id)
                     when not r.is_written_together then format('entry %s of balance %s of %s waits only since %s', u.entry_id, u.balance_id, e.at, u.spent_at)
                     else format('entry %s of balance %s waits since %s', u.entry_id, u.balance_id, u.spent_at) end)
              filter (where u.entry_id is not null and e.id is null or not r.is_written_together
                         or u.spent_at < clock_timestamp() - interval '1 minute') as first_break
       from undelivered_read u
       left join ledger_entry e
         on e.balance_id = u.balance_id and e.sequence = entry_sequence(u.entry_id) and e.id = u.entry_id and e.kind = 'read'
      cross join lateral (
        -- by two clocks: tests move only one
        select abs(extract(epoch from (u.spent_at - clock_timestamp()) - (e.at - service_now()))) < 10 as is_written_together
      ) r`,
  ),
];

/** Invariants of tokens and trials. */
const tokenChecks: BooksCheck[] = [
  checkOfAll(
    'a token draws on a balance of its own account, and is found by one hash',
    `select count(*)::integer as checked,
            min(case when token_id is null then format('a hash leads to token %s of balance %s, which does not exist', looked_up_id, balance_id)
                     when hashes <> 1 then format('token %s of balance %s is found by %s hashes', token_id, balance_id, hashes)
                     else format('token %s is of account %s, its hash leads to account %s, and its balance %s is of account %s',
                                 token_id, account_id, looked_up_account, balance_id, balance_account) end)
              filter (where token_id is null or hashes <> 1 or looked_up_account <> account_id
                         or balance_account is distinct from account_id) as first_break
       from (
         select coalesce(t.balance_id, l.balance_id) as balance_id, t.id as token_id, l.token_id as looked_up_id, t.account_id,
                l.account_id as looked_up_account, b.account_id as balance_account,
                count(l.token_hash) over (partition by t.balance_id, t.id) as hashes
           from api_token t
           full join token_lookup l on l.balance_id = t.balance_id and l.token_id = t.id
           left join credit_balance b on b.id = t.balance_id
       ) p`,
  ),
  checkOfAll(
    `a trial balance has one grant, of ${plans.trial.records} credits, no overage, and ends after ${plans.trial.lifetimeDays} days or with a later trial`,
    `select count(*)::integer as checked,
            min(format('trial balance %s of account %s has %s grants of %s credits in all, its overage costs %s, its period is from %s to %s, it ends %s%s',
                       id, account_id, grants, credits, overage_unit_cents, period_start, period_end, ends_at, case when is_closed then ', closed' end))
              filter (where grants <> 1 or credits <> ${plans.trial.records} or overage_unit_cents is not null
                         or (period_end, ends_at) is distinct from (lasts_until, lasts_until) or is_closed <> is_replaced) as first_break
       from (
         select b.*, b.period_start + interval '${plans.trial.lifetimeDays} days' as lasts_until, count(e.id) as grants,
                coalesce(sum(e.credits), 0) as credits,
                lead(b.id) over (partition by b.account_id order by b.period_start, b.id) is not null as is_replaced
           from credit_balance b left join ledger_entry e on e.balance_id = b.id and e.kind = 'grant'
          where b.plan = 'trial'
          group by b.id
       ) t`,
  ),
  checkOfAll(
    'an account has one active trial at most',
    `select count(*)::integer as checked,
            min(format('account %s has %s active trials', account_id, active)) filter (where active > 1) as first_break
       from (
         select b.account_id,
                count(t.id) filter (
                  where token_rejection(t.revoked_at, b.ends_at, b.period_end, b.renew_until, b.remaining, b.overage_unit_cents,
                                        b.overage_records, b.overage_cap) is null) as active
           from credit_balance b join api_token t on t.balance_id = b.id
          where b.plan = 'trial'
          group by b.account_id
       ) a`,
  ),
];

/** Invariants of what decides a bill and moves nothing: the tables against the entries that recorded it. */
const termsChecks: BooksCheck[] = [
  checkOfAll(
    'a balance has the terms that its ledger says last',
    // A later version may add to the terms.
    `select count(*)::integer as checked,
            min(format('balance %s: %s', b.id, coalesce((
              select string_agg(format('%s is %s, its ledger says %s', key, n.value, l.value), '; ' order by key)
                from jsonb_each(l.terms) l full join jsonb_each(terms_of(b)) n using (key)
               where n.value <> l.value or key = 'token_caps' and n.value is distinct from l.value
            ), 'its ledger says none')))
              filter (where l.terms is null or not terms_of(b) @> l.terms
                         or terms_of(b) -> 'token_caps' is distinct from l.terms -> 'token_caps') as first_break
       from credit_balance b
       left join (
         select distinct on (balance_id) balance_id, reason::jsonb as terms from ledger_entry where kind = 'terms' order by balance_id, sequence desc
       ) l on l.balance_id = b.id`,
  ),
  checkOfAll(
    'a paid balance ends, renews and has its period and cap as its subscription says, and one of an operator has neither end nor cap',
    `select count(*)::integer as checked,
            min(format('balance %s: its period is from %s to %s, it ends %s, renews until %s and has the cap %s; subscription %s is from %s to %s, ends %s and has the cap %s', b.id,
                       b.period_start, b.period_end, coalesce(b.ends_at::text, 'never'), coalesce(b.renew_until::text, 'for ever'),
                       coalesce(b.overage_cap::text, 'none'), coalesce(s.id, 'none'), s.period_start, s.period_end,
                       coalesce(s.ends_at::text, 'never'), coalesce(s.kept_cap::text, 'none')))
              filter (where b.ends_at is distinct from s.ends_at
                         -- customers and followed bills change both
                         or b.overage_cap is distinct from case when s.is_overage_stopped then 0 else s.kept_cap end
                         or b.period_start = s.period_start and b.period_end <> s.period_end
                         -- the end of a trial that Stripe shortened later stays
                         or case when b.is_metered then (b.renew_until <= greatest(s.period_end, l.latest_end)) is not true
                                 else b.renew_until is not null or s.id is not null end) as first_break
       from credit_balance b
       left join subscription s on s.balance_id = b.id
      cross join lateral (
        select to_timestamp(max((reason::jsonb ->> 'period_end')::numeric) / 1000000) as latest_end from ledger_entry
         where balance_id = b.id and kind = 'terms' and s.id is not null
      ) l
      -- The comparison with Stripe names a subscription that is unknown here.
      where b.plan = 'paid' and (s.id is not null or not b.is_metered)`,
  ),
  checkOfAll(
    'a token has the owner, the secret and the revocation that its balance’s ledger says',
    `with said as (
       select balance_id, token_id, reason::jsonb as event, reason::jsonb ->> 'event' as name from ledger_entry where kind = 'token'
     ), found as (
       select t.balance_id, t.id as token_id, n.event, n.event ->> 'event' as name
         from api_token t
         join token_lookup k on k.balance_id = t.balance_id and k.token_id = t.id
        cross join lateral token_events(t.account_id, k.token_hash, t.issued_at, t.revoked_at) n (event)
     )
     select count(*)::integer as checked,
            min(format('token %s of balance %s: it has %s, its ledger says %s', token_id, balance_id,
                       coalesce(f.event::text, 'no such event'), coalesce(s.event::text, 'nothing of it')))
              filter (where f.event is distinct from s.event) as first_break
       from said s full join found f using (balance_id, token_id, name)`,
  ),
  checkOfAll(
    'a token with a cap of its own was charged in its period what its balance counts',
    `select count(*)::integer as checked,
            min(format('token %s of balance %s: counted are %s records, its reads hold %s', key, id, counted, charged))
              filter (where counted <> charged) as first_break
       from (
         select b.id, c.key, coalesce((b.token_records ->> c.key)::bigint, 0) as counted,
                (select coalesce(sum(l.records), 0) from ledger_entry l
                  where l.token_id = c.key::uuid and l.balance_id = b.id and l.period_start = b.period_start
                    and l.kind in ('read', 'reversal') and l.sequence > (
                      select max(g.sequence) from ledger_entry g where g.balance_id = b.id and g.kind = 'grant' and g.period_start = b.period_start
                    )) as charged
           from credit_balance b cross join jsonb_object_keys(b.token_caps) c (key)
       ) t`,
  ),
];

/** All checks of the audit. */
export const auditChecks: BooksCheck[] = [
  entriesCheck(),
  ...balanceChecks,
  ...tokenChecks,
  ...termsChecks,
  ...overageChecks,
  sumsCheck,
  releaseCheck,
];
