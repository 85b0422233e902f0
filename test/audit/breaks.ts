import { deflateRawSync } from 'node:zlib';
import { keysOf } from '../../src/proofs/log/log-room.js';
import type { Kept } from './breakable-books.js';

/** A way in which a superuser of the database cheats, and who notices. */
export interface Break {
  how: string;
  sql: string;
  /** The invariants of the audit that are broken, without a checkpoint. */
  night: string[];
  /**
   * Who else notices: `log` (the audit with the oldest checkpoint), `shipped` (the audit of functions and tables), `hour` (the next
   * checkpoint), `outside` (whoever follows the log), `customer` (their own check of what they have), `listed` (they see it in its list of changes).
   */
  elsewhere: string;
  /** A part of the fault that one of these reports. */
  words: string;
}

/** The invariants by the words for them below. */
export const invariantsByWord: Record<string, string> = {
  totals: 'balances and their running totals follow one another without a break',
  chain: 'every entry is as it was written, and follows the one before it',
  remembered: 'every balance goes on from where an earlier audit left it',
  last: 'every balance is as its last entry leaves it',
  times: 'no entry is dated before the one before it, nor before its period',
  periods: 'a period begins when the one before it has ended, or where a subscription starts anew',
  ends: 'no read is later than the end of its period or balance',
  agreed: 'of terms only the caps, times and payment change, and a price only to that of the plan',
  owned: 'every entry belongs to a balance and, if a token made it, to a token of that balance',
  segments: 'every read charged exactly the records of its segments',
  reversal: 'a reversal takes back exactly what its read charged',
  replay: 'a replay repeats a read of its balance, record for record',
  key: 'a key buys once: of its reads one stands at the most',
  delivered: 'no read was taken back that was delivered by a replay',
  adjusted: 'an adjustment says who made it, and why, as the activity log does',
  priced: 'overage costs its price',
  granted: 'a balance is in the period of its last grant, and each grant is what it grants a period',
  released: 'every segment lies within its release, which was published, and of the county that was asked for',
  negative: 'no balance is negative',
  waits: 'no read waits for its delivery or its reversal longer than a minute',
  found: 'a token draws on a balance of its own account, and is found by one hash',
  trial: 'a trial balance has one grant, of 50 credits, no overage, and ends after 30 days or with a later trial',
  trials: 'an account has one active trial at most',
  terms: 'a balance has the terms that its ledger says last',
  subscribed:
    'a paid balance ends, renews and has its period and cap as its subscription says, and one of an operator has neither end nor cap',
  issued: 'a token has the owner, the secret and the revocation that its balance’s ledger says',
  counted: 'a token with a cap of its own was charged in its period what its balance counts',
  items: 'every overage item is of a period of its balance, at the price of its overage',
  billed: 'all overage of ended subscriptions is billed, or has waited less than a week',
  sums: 'the sums of a day are those of its entries that were summed',
  numbered: 'every readable release holds exactly the records it counts, numbered without gaps',
  hashed: 'the records and attributes of a release are, letter for letter, those that were hashed for the log',
};

/** Changes entries, and hashes the chain anew. */
const forge = (whose: string, assignments: string, where: string) =>
  `update ledger_entry set ${assignments} where balance_id = ${whose}() and ${where}; select chain_anew(${whose}())`;
/** An entry of Bob's as the service's own function writes it. */
const append = (fields: string) =>
  `do $$ declare b credit_balance; e ledger_entry;
   begin select * into b from credit_balance where id = bob(); ${fields} perform append_entry(b, e); end $$`;
const madeUpReplay = (reason: string) =>
  append(`select * into e from ledger_entry where balance_id = bob() and sequence = 4; e.repeats := e.id; e.kind := 'replay'; e.reason := ${reason};
          e.id := null; e.at := null; e.request_hash := null; e.credits := 0; e.overage_records := 0;`);
/** With triggers on: the ledger has it. */
const recorded = (sql: string) =>
  `set local session_replication_role = origin; ${sql}; set constraints all immediate; set local session_replication_role = replica`;
const set = (assignments: string, whose = 'bob') => `update credit_balance set ${assignments} where id = ${whose}()`;
const setSubscription = (assignments: string) => `update subscription set ${assignments}`;
const newBalance = (account: string, plan: string, credits: number) =>
  `select open_balance('${account}', '${plan}', ${credits}, null, service_now(), service_now(), service_now() + interval '30 days', null, null, false)`;
/** The memory that an audit leaves behind when all balances hold. */
const remember =
  'insert into audited_balance select id, entry_count, chain_head, remaining, overage_records, period_start from credit_balance; update audited_balance set';
const deleteBalance = (whose: string) =>
  ['ledger_entry', 'api_token', 'token_lookup'].map((table) => `delete from ${table} where balance_id = ${whose}();`).join('') +
  `delete from credit_balance where id = ${whose}()`;
const rewind = (entries: number) =>
  `delete from ledger_entry where balance_id = bob() and sequence > (select entry_count from credit_balance where id = bob()) - ${entries};
   select chain_anew(bob())`;
const annsRead = `kind = 'read' and balance_id = ann()`;
const waits = (spentAt: string) =>
  `insert into undelivered_read select balance_id, request_id, id, ${spentAt} from ledger_entry where ${annsRead}`;
/** A read that the service charges, and nobody has. */
const spent = `select from spend(array[ann()], array[token_of(ann())], array[(select version from coverage_version)], array['{1,9,2}'],
  array['25017'], array['lost'], array[null::text], array[sha256('x')], true); delete from undelivered_read`;
const revoked = (whose: string, more = 'select') =>
  `${recorded(`update api_token set revoked_at = service_now() where balance_id = ${whose}(); ${more}`)};
   update api_token set revoked_at = null where id = token_of(${whose}())`;

const linesOf = (leaves: string[]) => `'\\x${deflateRawSync(leaves.join('\n')).toString('hex')}'`;
const anotherLeaf = `insert into log_leaves select origin_id, max(first_index + count), 1, ${linesOf(['time 1'])} from log_leaves group by 1`;
const forger = keysOf(['what a forger makes up, also 32 long'])[0];

/** A checkpoint with more leaves, signed by a key of the forger's own under the name of the real one. */
export function forgedNote({ newest }: Pick<Kept, 'newest'>, more: number): string {
  const [origin, size] = newest.split('\n') as [string, string];
  const text = `${origin}\n${Number(size) + more}\n${Buffer.alloc(32).toString('base64')}\ntime 9999999999999999\n`;
  return `${text}\n${forger.signatureLine(text, origin)}`;
}

/** All ways, once those who notice have what they keep. Each is `-- how | night | elsewhere | words`, and its SQL with the helpers of the books. */
export function breaksOf(kept: Pick<Kept, 'newest' | 'leaves'>): Break[] {
  const relog = (edit: (leaf: string) => string) =>
    kept.leaves
      .map(({ first, texts }) => `update log_leaves set lines = ${linesOf(texts.map(edit))} where first_index = ${first}`)
      .join(';');
  const ways = `
---- balances and chains
-- a balance was helped | last |
${set('remaining = remaining + 1')}
-- a running total jumps | totals | log hour customer
${forge('bob', 'balance_after = balance_after + 1', 'sequence = 4')}
-- a running overage jumps | totals | log hour customer
${forge('bob', 'overage_after = overage_after + 1', 'sequence = 4')}
-- an entry is of another day than its id says | times totals | log hour customer
${forge('bob', `at = at + interval '1 day'`, `kind = 'adjustment'`)}
-- an entry was taken out | totals | log hour customer | ends with entry 9: 4 were logged
delete from ledger_entry where ${annsRead}; update ledger_entry set sequence = 9 where balance_id = ann() and sequence = 3;
  ${set('remaining = 50', 'ann')}; select chain_anew(ann())
-- an entry was cut out, and all after it are numbered and hashed anew | adjusted reversal | log hour customer
create temporary table cut on commit drop as select * from ledger_entry where balance_id = bob() and sequence <> 6;
  delete from ledger_entry where balance_id = bob();
  update cut set id = (left(id::text, 28) || lpad(to_hex(sequence - 1), 8, '0'))::uuid, sequence = sequence - 1 where sequence > 6;
  insert into ledger_entry select * from cut; select chain_anew(bob())
-- a read is of 1970 | times | log hour customer | is not the one that was logged
${forge('bob', `at = '1970-01-01Z', id = overlay(id::text placing '00000000-0000' from 1)::uuid`, 'sequence = 4')}
-- an entry is later than the next | times | log hour customer
${forge('bob', `at = '2100-01-01Z', id = overlay(id::text placing '03bb2cc3-d800' from 1)::uuid`, 'sequence = 4')}
-- an entry is of another request | chain | customer
update ledger_entry set request_id = 'another' where kind = 'read' and sequence = 4
-- an entry is of another request, and all after it are hashed anew |  | log hour customer
${forge('bob', `request_id = 'another'`, 'sequence = 4')}
-- an entry says that it follows another | chain | customer
update ledger_entry e set previous_hash = sha256('x') where balance_id = bob() and sequence = 2;
  update ledger_entry e set hash = entry_hash(e) where balance_id = bob() and sequence = 2;
  update ledger_entry e set previous_hash = p.hash from ledger_entry p
  where e.balance_id = bob() and e.sequence = 3 and p.balance_id = bob() and p.sequence = 2;
  update ledger_entry e set hash = entry_hash(e) where balance_id = bob() and sequence = 3
-- the newest five entries are gone, with the head | counted terms | log hour customer | has 7 entries: 11 were logged
${rewind(5)}
-- a balance has no entry | last terms | hour | is not the one that the balance names as its last
${newBalance('eve', 'paid', 0)}; delete from ledger_entry where balance_id = (select id from credit_balance where account_id = 'eve')
-- a balance does not know of its last entry | last |
update credit_balance b set entry_count = entry_count - 1, chain_head = l.previous_hash from ledger_entry l
  where b.id = bob() and l.balance_id = b.id and l.sequence = b.entry_count
-- entries are of no balance | owned |
${newBalance('fay', 'paid', 0)}; delete from credit_balance where account_id = 'fay'
-- a balance is gone, with all that names it |  | log hour customer | entries were logged of a balance that is gone
${deleteBalance('ann')}
-- a balance has another head | last | hour
${set(`chain_head = sha256('x')`)}
-- a balance is below zero, in good order | adjusted negative | shipped customer
${append(`alter table credit_balance drop constraint credit_balance_never_negative;
  alter table ledger_entry drop constraint ledger_entry_balance_never_negative; e.kind := 'adjustment'; e.credits := -b.remaining - 1;
  e.actor := 'operator'; e.reason := 'a fine';`)}

---- reads
-- a read is of a token that does not exist | owned | log hour customer
${forge('ann', 'token_id = gen_random_uuid()', `kind = 'read'`)}
-- a read is of nobody | owned | log hour customer | has another head at entry 4 than was logged
${forge('ann', 'token_id = null', `kind = 'read'`)}
-- a read is of more than it charged | segments | log hour customer
${forge('ann', 'segments[3] = segments[3] + 1', `kind = 'read'`)}
-- a read charged more than it returned | segments | log hour customer
${forge('ann', 'records = records + 1, credits = credits - 1, balance_after = balance_after - 1', `kind = 'read'`)}
-- a read is after the end of its period | ends | customer
${append(`e.kind := 'read'; e.at := b.period_end; e.token_id := token_of(bob());`)}
-- a read is beyond the end of its release | released | log hour customer
${forge('ann', 'segments[2] = 30', `kind = 'read'`)}
-- a read is of no release | released | log hour customer
${forge('ann', 'segments[1] = 1000000', `kind = 'read'`)}
-- a read is of another county than the one that was asked for | released | log hour customer
${forge('ann', `county_fips = '25001'`, `kind = 'read'`)}
-- a read is of other records |  | log hour customer
${forge('ann', 'segments[2] = 9', `kind = 'read'`)}
-- a read since the newest checkpoint is of other records |  | customer | No entry has the hash of the receipt
${forge('bob', 'segments[2] = 9', 'sequence = (select entry_count from credit_balance where id = bob())')}
-- a read since the newest checkpoint is gone | counted | customer
${rewind(1)}
-- a key was charged twice | key | log hour customer
${forge('bob', `idempotency_key = 'a key', attempt = 1`, 'sequence = 4')}
-- a read was never delivered, and is not taken back |  | customer | a charged read has no receipt
${spent}
-- a reversal is of more records than were read | counted reversal | log hour customer
${forge('bob', 'records = records - 1', `kind = 'reversal'`)}
-- a reversal gives nothing back | reversal | log customer
select reverse_entry(balance_id, id, 'not delivered', null) from ledger_entry where ${annsRead}; update ledger_entry set credits = 0,
  balance_after = 47 where balance_id = ann() and kind = 'reversal'; ${set('remaining = 47', 'ann')}; select chain_anew(ann())
-- a reversal is of nothing | reversal | customer
${append(`e.kind := 'reversal'; e.reverses := gen_random_uuid();`)}
-- what was repeated is taken back | delivered | log customer
${append(`e.kind := 'reversal'; e.records := -2; e.credits := 2; e.reverses := (select repeats from ledger_entry
  where kind = 'replay');`)}
-- a delivered read is taken back |  | log | after it
select reverse_entry(balance_id, id, 'not delivered', null) from ledger_entry where ${annsRead}
-- a delivered read is taken back before the next checkpoint |  |
select reverse_entry(balance_id, id, 'not delivered', null) from ledger_entry where balance_id = bob() and sequence = (select entry_count
  from credit_balance where id = bob())
-- a read waits, and nobody sweeps it | waits |
${waits(`clock_timestamp() - interval '61 seconds'`)}
-- a delivered read was put back to be swept | waits |
${waits(`clock_timestamp() + interval '11 seconds'`)}
-- what waits is no read | waits |
insert into undelivered_read values (ann(), 'none', gen_random_uuid())
-- a replay is of more records than were read | replay | log hour customer
${forge('bob', 'records = records + 1', `kind = 'replay'`)}
-- a replay is of other records | replay | log hour customer
${forge('bob', 'segments[2] = segments[2] + 1', `kind = 'replay'`)}
-- a replay is of nothing | replay | log hour customer
${forge('bob', 'repeats = gen_random_uuid()', `kind = 'replay'`)}
-- a replay is made up, of a read that had no key | replay | customer | had no Idempotency-Key
${madeUpReplay('null')}
-- a replay is made up, as if the console had shown the records |  |
${madeUpReplay(`'shown in console'`)}
-- a record costs another price | priced | log hour customer
${forge('bob', 'overage_cents = overage_cents + 1', `kind = 'read' and overage_records > 0`)}
-- a balance has more overage than its reads | last |
${set('overage_records = overage_records + 1')}

---- what was agreed
-- the price is 50 cents, which the service itself records | agreed priced | customer | sets overage_unit_cents to 50, and 5 was agreed
${recorded(set('overage_unit_cents = 50'))}
-- the price is 50 cents, which no entry says | priced terms |
${set('overage_unit_cents = 50')}
-- a trial lasts a year longer | agreed trial | listed | ends_at was
${recorded(set(`ends_at = ends_at + interval '1 year'`, 'ann'))}
-- a trial’s period lasts a year longer | agreed trial | listed
${recorded(set(`period_end = period_end + interval '1 year', ends_at = ends_at + interval '1 year'`, 'ann'))}
-- a trial became a paid plan | subscribed terms |
${set(`plan = 'paid'`, 'ann')}
-- a replaced trial came back | terms trial |
${set('is_closed = not is_closed', 'ann')}
-- a trial is larger | trial |
${newBalance('gus', 'trial', 51)}
-- a trial was granted twice | periods trial | shipped customer
${append(`alter table credit_balance drop constraint credit_balance_trial_within_grant; select * into b from credit_balance
  where id = ann(); b.period_start := b.period_start + interval '1 day'; e.kind := 'grant'; e.credits := 50;
  update credit_balance set period_start = b.period_start where id = b.id;`)}
-- an account has two trials | issued trials | listed
${revoked('ann', `select issue_trial('ann', 'trial', sha256('ann 2'), 50, interval '30 days')`)}
-- the grant is larger from now on | agreed granted | customer
${recorded(set('grant_records = 4000'))}
-- the grant is larger, which no entry says | granted terms |
${set('grant_records = 11')}
-- a grant was of more than the balance has a period | granted | log hour customer
update ledger_entry set balance_after = balance_after + 5, credits = credits + case kind when 'grant' then 5 else 0 end
  where balance_id = bob(); select chain_anew(bob())
-- a period has a second grant | counted periods totals | shipped customer
drop index ledger_entry_one_grant_a_period; ${append(`e.kind := 'grant'; e.credits := 10;`)}
-- three periods begin a second apart | periods | customer
${[1, 2, 3].map((n) => `select open_period(b, b.period_start + interval '${n} seconds', b.period_end) from credit_balance b where id = bob()`).join(';')}
-- a balance is in a period that nobody granted | granted trial |
${set(`period_start = period_start + interval '1 day'`, 'ann')}
-- a balance was ended at once | subscribed | listed
${recorded(set('ends_at = service_now()'))}
-- a balance and its subscription were ended at once | subscribed | listed
${recorded(set('ends_at = service_now()'))}; ${setSubscription('ends_at = service_now()')}
-- the end of a balance was put off, which no entry says | subscribed terms |
${set(`ends_at = period_end + interval '1 year'`)}
-- a period ends later | subscribed | listed
${recorded(set(`period_end = period_end + interval '1 day'`))}
-- a period and that of its subscription end later |  | listed
${recorded(set(`period_end = period_end + interval '1 day'`))}; ${setSubscription(`period_end = period_end + interval '1 day'`)}
-- periods need no payment | subscribed | listed
${recorded(set('renew_until = null'))}
-- months are counted from another day | terms |
${set(`period_anchor = period_anchor - interval '1 day'`)}
-- a subscription is paid by a balance of an operator | subscribed terms |
${set('is_metered = false')}
-- nobody is billed for the overage, which the service itself records | agreed subscribed | listed
${recorded(set('is_metered = false'))}
-- a subscription ended, and was never billed | billed subscribed |
${setSubscription(`status = 'canceled', ends_at = service_now() - interval '8 days'`)}; update overage_item set state = 'missed'
-- the cap is lifted, which the service itself records | subscribed | customer
${recorded(set('overage_cap = 1000000'))}
-- the cap is lifted, which no entry says | subscribed terms |
${set('overage_cap = null')}
-- the cap is lifted as if the customer had chosen it |  | customer | sets overage_cap to 1000000, and 100 was agreed
${recorded(set('overage_cap = 1000000'))}; ${setSubscription('kept_cap = 1000000')}
-- the cap of a token is lifted |  | listed
${recorded(set('token_caps = null'))}
-- the cap of a token is lifted, which no entry says | terms |
${set('token_caps = null')}
-- another token has a cap | terms |
${set('token_caps = token_caps || jsonb_build_object(gen_random_uuid(), 1)')}
-- a cap of a token counts a record too many | counted |
${set(`token_records = jsonb_build_object(token_of(bob()), (token_records ->> token_of(bob())::text)::integer + 1)`)}
-- a balance has another owner, with its tokens | issued terms |
${set(`account_id = 'mallory'`)}; update api_token set account_id = 'mallory' where balance_id = bob();
  update token_lookup set account_id = 'mallory' where balance_id = bob()
-- an adjustment is of somebody who is in no activity log | adjusted | listed
select adjust_balance(bob(), -1, 'a fine', 'nobody')
-- an adjustment is of nobody | adjusted | log hour customer
${forge('bob', 'actor = null', `kind = 'adjustment'`)}
-- an adjustment has a blank reason | adjusted | log hour customer
${forge('bob', `reason = ' '`, `kind = 'adjustment'`)}
-- the activity log lost an adjustment | adjusted |
delete from admin_action
-- terms are others, back to the first | terms | log hour customer
${forge('bob', `reason = replace(reason, '"owner": "bob"', '"owner": "ann"')`, `kind = 'terms'`)}
-- the first grant is of more | granted totals | log hour customer | or has another first entry
${forge('bob', 'credits = credits + 1, balance_after = balance_after + 1', 'sequence = 1')}
-- an adjustment is made up, with its line in the activity log |  | listed
with a as (select entry_id from adjust_balance(bob(), -1, 'a fine', 'operator'))
  insert into admin_action (actor, action, target, reason, after)
  select 'operator', 'adjust balance', bob()::text, 'a fine', jsonb_build_object('entry', entry_id) from a
-- what was billed is forgotten |  |
delete from overage_item
-- overage is billed in a period that never was | items |
update overage_item set period_start = period_start - interval '1 month'
-- overage is billed at another price | items |
update overage_item set unit_cents = 4
-- an hour and a day have sums of what was not read | sums |
update hourly_usage set records = 1; update daily_usage set records = 1
-- an hour has a sum of what was not read | sums |
update hourly_usage set records = 1

---- tokens
-- a token has another secret | issued |
update token_lookup set token_hash = sha256('mine') where balance_id = bob()
-- a revocation was undone | issued | listed
${revoked('bob')}
-- a token is revoked, which no entry says | issued |
update api_token set revoked_at = service_now() where balance_id = bob()
-- a token is issued, which no entry says | issued |
select add_token(bob(), 'bob', 'mine', sha256('mine'), service_now())
-- a token is issued to somebody else, which the service itself records |  | listed | was issued
${recorded(`select add_token(bob(), 'bob', 'mine', sha256('mine'), service_now())`)}
-- a hash leads to another account | found |
update token_lookup set account_id = 'mallory' where balance_id = ann()
-- a token is on the balance of another account | found issued |
update api_token set account_id = 'mallory' where balance_id = bob(); update token_lookup set account_id = 'mallory'
  where balance_id = bob()
-- a token cannot be found | found issued |
delete from token_lookup where balance_id = ann()
-- a token has a second hash | found issued |
insert into token_lookup select sha256('second'), balance_id, token_id, account_id from token_lookup where balance_id = bob()
-- a hash is of no token | found |
insert into token_lookup values (sha256('none'), bob(), gen_random_uuid(), 'bob')

---- the audit
-- the audit remembers an entry that the balance does not have | remembered |
${remember} head = sha256('x') where balance_id = bob()
-- the audit remembers more entries than there are | remembered |
${remember} entries = entries + 1 where balance_id = bob()
-- the audit remembers credits that the balance did not have | remembered |
${remember} remaining = remaining + 1 where balance_id = bob()
-- an old entry that the audit remembers was changed with all hashes after it | remembered | log hour customer
${remember} entries = entries; ${forge('bob', `request_id = 'another'`, 'sequence = 4')}
-- a balance that the audit remembers is gone, with all that names it | remembered | log hour customer
${remember} entries = entries; ${deleteBalance('ann')}
-- an audit that held was made up |  |
insert into audit_run (actor, findings) values ('schedule', '[]')
-- the next audit is put off |  |
update graphile_worker._private_known_crontabs set last_execution = now() + interval '9 years'

---- what was sold
-- a letter of a record was changed | hashed |
update parcel set record = replace(record, '7 Main', '7 Maim') where ordinal = 7
-- a letter was changed, and the release has the hash of that | hashed | log | of county 25017 has other hashes
update parcel set record = replace(record, '7 Main', '7 Maim') where ordinal = 7; update release_root set root = sha256('x')
-- two records changed places | hashed |
update parcel set ordinal = case ordinal when 1 then -2 else -1 end where ordinal in (1, 2); update parcel set ordinal = -ordinal
  where ordinal < 0
-- the attributes of records are others | hashed |
update parcel_attributes set attributes = '[{"zone":"R2"}]'
-- a release counts one record more | numbered | log
update parcel_release set loaded_count = loaded_count + 1, read_count = read_count + 1
-- a release that was sold is held | released | log | is marked as held
update parcel_release set state = 'held', published_at = null where id = 1
-- a release is marked as pruned |  | log | must still be kept
update parcel_release set state = 'pruned' where id = 1; delete from parcel where release_id = 1
-- the current release is marked as pruned, as if replaced long ago |  | log | must still be kept
update parcel_release set state = 'pruned', superseded_at = published_at, published_at = published_at - interval '9 days' where id = 2
-- a release is gone | released | log | release 1 is gone
delete from parcel_release where id = 1; delete from parcel where release_id = 1; delete from release_root
-- a county sells its older release again |  |
update county set current_release_id = 1 where current_release_id = 2
-- a release is of another county | released | log | of county 25019 has other hashes
update parcel_release set county_fips = '25019' where id = 1

---- the log
-- a leaf is changed |  | log hour | leaves do not have the root of the checkpoint
${relog((leaf) => leaf.replace('balance', 'balancf'))}
-- a leaf names what only looks like a balance |  | log hour | does not have the root that was signed last
${relog((leaf) => leaf.replace(/^balance .*/, `balance ${'-'.repeat(32)} 1 ${'0'.repeat(64)}`))}
-- the times of batches go back |  | log hour outside | says “time 1”, which is not after the batch before it
${relog((leaf) => leaf.replace(/^time .*/, 'time 1'))}
-- the newest five entries are gone, and no leaf has them | counted terms | log hour customer
${rewind(5)}; ${relog((leaf) => leaf.replace(/^balance .*/, 'time 1'))}
-- the tree names another key |  | log hour | leaves do not have the root of the checkpoint
${relog((leaf) => leaf.replace(/^key .*/, `key ${forger.vkeyOf('x')}`))}
-- the newest checkpoint has another root, by another key |  | log hour outside | is not signed by the key
update log_checkpoint set note = '${forgedNote(kept, 0)}' where size = (select max(size) from log_checkpoint)
-- a leaf is appended, and signed by another key |  | log hour outside | was not signed by AUTH_SECRET
${anotherLeaf}; insert into log_checkpoint select max(origin_id), max(first_index + count), '${forgedNote(kept, 1)}' from log_leaves
-- a leaf is appended that nobody signed |  | log hour | the log has 10 leaves, and 9 were signed
${anotherLeaf}
-- the log is cut back to an older signed checkpoint |  | hour | is kept in DATA_DIR
delete from log_checkpoint where size = (select max(size) from log_checkpoint); delete from log_leaves
  where first_index >= (select max(size) from log_checkpoint)
-- the log is gone |  | log hour outside | the database has no log
delete from log_origin; delete from log_leaves; delete from log_checkpoint; delete from log_place
-- the leaves are unreadable |  | log hour outside | the log lacks 9 of its 9 leaves
update log_leaves set lines = '\\x00'
-- the newest checkpoint is of another key |  | log hour outside | has a signature line that is none
update log_checkpoint set note = regexp_replace(note, '— (\\S+) \\S+', '— \\1 AAAA') where size = (select max(size) from log_checkpoint)
-- the place of a logged balance is another’s |  | hour | logged
update log_place set leaf_index = (select max(leaf_index) from log_place where subject like 'balance %') where subject like 'balance %'
-- the place of a logged balance is gone |  | hour | the log does not say where it has it
delete from log_place where subject = 'balance ' || bob()
-- somebody began another log |  | hour | of which nothing was signed
insert into log_origin (name) values ('mine')
-- somebody began another log, and signed it with another key |  | hour outside | was not signed by AUTH_SECRET
insert into log_origin (name) values ('records.example/ledger/forged');
  insert into log_checkpoint select max(id), 1, '${forgedNote({ newest: 'records.example/ledger/forged\n0' }, 1)}' from log_origin

---- what guards the tables
-- an entry is changed, and entry_hash() says that it is well | chain | shipped customer | entry_hash() is not the function of this version
create or replace function entry_hash(e ledger_entry) returns bytea language sql immutable as 'select e.hash';
  update ledger_entry set request_id = 'x' where balance_id = bob() and kind = 'read'
-- a cap is lifted, and terms_of() says that it is there | subscribed | shipped | terms_of() is not
create or replace function terms_of(b credit_balance) returns jsonb language sql stable as 'select reason::jsonb from ledger_entry
  where balance_id = b.id and kind = ''terms'' order by sequence desc limit 1'; ${set('overage_cap = null')}
-- a function that is one expression is replaced |  | shipped | period_boundary() is not
create or replace function period_boundary(anchor timestamptz, months integer) returns timestamptz language sql immutable
  return anchor + make_interval(years => months)
-- a trigger is off |  | shipped | trigger ledger_entry_append_only is not in force
alter table ledger_entry disable trigger ledger_entry_append_only
-- a trigger has another name |  | shipped | trigger credit_balance_terms is gone, trigger harmless is new
alter trigger credit_balance_terms on credit_balance rename to harmless
-- a constraint says another thing |  | shipped | constraint credit_balance_cap_not_negative is not in force
alter table credit_balance drop constraint credit_balance_cap_not_negative, add constraint credit_balance_cap_not_negative check (true)
-- a unique index is gone |  | shipped | index ledger_entry_one_grant_a_period is gone
alter index ledger_entry_one_grant_a_period rename to one
-- a table is a view |  | shipped | table audit_run is not in force
alter table audit_run rename to kept; create view audit_run as table kept
-- a rule drops what is written |  | shipped | rule silent is new
create rule silent as on insert to audit_run do instead nothing
-- a trigger is new |  | shipped | trigger cheat is new
create function cheat() returns trigger language plpgsql as 'begin return new; end';
  create trigger cheat before update on credit_balance for each row execute function cheat()
`;
  return ways
    .replaceAll(/^----.*/gm, '')
    .split(/^-- /m)
    .slice(1)
    .map((way) => {
      const [head, ...sql] = way.trim().split('\n') as [string, ...string[]];
      const [how, night, elsewhere = '', words = ''] = head.split(' |').map((part) => part.trim());
      return { how: how!, night: night!.split(' ').filter(Boolean), elsewhere, words, sql: sql.join('\n') };
    });
}
