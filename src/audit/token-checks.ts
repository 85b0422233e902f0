import { type BooksCheck, checkOfAll } from '../database/books-check.js';
import { plans } from '../ledger/plans.js';

/** What holds of tokens and trials. */
export const tokenChecks: BooksCheck[] = [
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
    `a trial balance has one grant, of ${plans.trial.records} credits`,
    `select count(*)::integer as checked,
            min(format('trial balance %s of account %s has %s grants of %s credits in all', id, account_id, grants, credits))
              filter (where grants <> 1 or credits <> ${plans.trial.records}) as first_break
       from (
         select b.id, b.account_id, count(e.id) as grants, coalesce(sum(e.credits), 0) as credits
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
