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
                from jsonb_each(l.terms) l join jsonb_each(terms_of(b)) n using (key) where n.value <> l.value
            ))) filter (where not terms_of(b) @> l.terms) as first_break
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
];
