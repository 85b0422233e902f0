import { type BooksCheck, checkOfAll } from '../ledger/books-check.js';

/**
 * Invariants of what decides a bill and moves nothing: the tables against the entries that recorded it. A balance of an earlier release
 * without any such entry yet gets all of them at once (`record_missing_terms`), so nothing is missed in between.
 */
export const termsChecks: BooksCheck[] = [
  checkOfAll(
    'a balance has the terms that its ledger says last',
    // A later release may add to the terms.
    `select count(*)::integer as checked,
            min(format('balance %s: %s', b.id, (
              select string_agg(format('%s is %s, its ledger says %s', key, n.value, l.value), '; ' order by key)
                from jsonb_each(l.terms) l full join jsonb_each(terms_of(b)) n using (key)
               where n.value <> l.value or key = 'token_caps' and n.value is distinct from l.value
            ))) filter (where not terms_of(b) @> l.terms or terms_of(b) -> 'token_caps' is distinct from l.terms -> 'token_caps') as first_break
       from credit_balance b
       join (
         select distinct on (balance_id) balance_id, reason::jsonb as terms from ledger_entry where kind = 'terms' order by balance_id, sequence desc
       ) l on l.balance_id = b.id`,
  ),
  checkOfAll(
    'a token has the owner, the secret and the revocation that its balance’s ledger says',
    `with said as (
       select balance_id, token_id, reason::jsonb as event, reason::jsonb ->> 'event' as name from ledger_entry where kind = 'token'
     ), found as (
       select t.balance_id, t.id as token_id, n.event, n.event ->> 'event' as name
         from (select distinct balance_id from ledger_entry where kind = 'terms') r
         join api_token t using (balance_id)
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
                      select g.sequence from ledger_entry g where g.balance_id = b.id and g.kind = 'grant' and g.period_start = b.period_start
                    )) as charged
           from credit_balance b cross join jsonb_object_keys(b.token_caps) c (key)
       ) t`,
  ),
];
