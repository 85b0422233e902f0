import type { Pool } from 'pg';
import { type AuditProgress, audit } from '../../src/audit/audit.js';
import { auditChecks } from '../../src/audit/audit-checks.js';
import { AuditRunStore, lastSeenAudit } from '../../src/audit/audit-run.store.js';
import { entriesCheck } from '../../src/audit/entries/entries-check.js';
import { auditedInvariant, chainInvariant, lastInvariant } from '../../src/audit/entries/entry-rules.js';
import { runAudit } from '../../src/audit/run-audit.js';
import { createLog } from '../../src/core/log.js';
import { openDataSource, typeParsers } from '../../src/database/database.js';
import type { BooksCheck } from '../../src/ledger/books-check.js';
import { entities } from '../../src/server/entities.js';
import { closeAtEnd } from '../harness/closing.js';
import { openPool, type TestDatabase } from '../harness/database.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import { BreakableBooks, breakBooks, forgery, type Holder, saveTables } from './breakable-books.js';

const tables = [
  'credit_balance',
  'api_token',
  'token_lookup',
  'ledger_entry',
  'undelivered_read',
  'overage_item',
  'subscription',
  'parcel_release',
  'parcel',
  'audit_run',
  'audited_balance',
  'summed_balance',
  'hourly_usage',
  'daily_usage',
];

let books: BreakableBooks;
let db: TestDatabase;
let pool: Pool;
let runs: AuditRunStore;
let dataDir: string;
let paid: Holder;
let trial: Holder;
let restore: () => Promise<unknown>;

beforeAll(async () => {
  books = await BreakableBooks.open();
  ({ db, pool, bob: paid, ann: trial } = books);
  const dataSource = await openDataSource(db.url, 'test', 2, createLog({ logLevel: 'silent' }), entities);
  closeAtEnd(() => dataSource.destroy());
  dataDir = await temporaryFolder();
  runs = new AuditRunStore(dataSource, dataDir);
  await db.query(
    `with hour as (
       insert into hourly_usage select id, date_trunc('day', service_now(), 'UTC') - interval '3 days', id, '', 0, 0, 0, 0, 0, 0 from credit_balance where id = $1
       returning *
     )
     insert into daily_usage select hour, balance_id, 0, 0, 0, 0, 0 from hour`,
    [paid.balanceId],
  );
  restore = await saveTables(db, tables);
});

const brokenOf = (findings: { invariant: string; firstBreak: string | null }[]) =>
  findings.filter(({ firstBreak }) => firstBreak !== null).map(({ invariant }) => invariant);

const forge = (of: () => Holder, assignments: string, where: string) => () => forgery(of().balanceId, assignments, where);

const invariants = auditChecks.flatMap((check) => check.invariants);
/** The same, two entries at a time: whatever compares entries does so over the ends of slices. */
const slicedChecks = [entriesCheck(2), ...auditChecks.slice(1)];

const inPaid = () => paid;
const inTrial = () => trial;
const theReplayed = () => `(select repeats from ledger_entry where kind = 'replay' and balance_id = '${paid.balanceId}')`;
/** An entry as the service's own function writes it. */
const append = (fields: () => string) => () =>
  `
  do $$
  declare b credit_balance; e ledger_entry;
  begin
    select * into b from credit_balance where id = '${paid.balanceId}';
    ${fields()}
    perform append_entry(b, e);
  end $$`;
const newBalance = (account: string, plan: string, credits: number) =>
  `select open_balance('${account}', '${plan}', ${credits}, null, service_now(), service_now(), service_now() + interval '30 days', null, null, false)`;

const termsAsSaid = 'a balance has the terms that its ledger says last';
const asCounted = 'a token with a cap of its own was charged in its period what its balance counts';
const tokensAsSaid = 'a token has the owner, the secret and the revocation that its balance’s ledger says';
/** With triggers on: the ledger has it. */
const recorded = (sql: () => string) => () =>
  `set local session_replication_role = origin; ${sql()}; set constraints all immediate; set local session_replication_role = replica`;
const setTerms = (assignments: string) => () => `update credit_balance set ${assignments} where id = '${paid.balanceId}'`;
const asSummed = 'the sums of a day are those of its entries that were summed';
const priced = 'overage costs its price, and of each period it adds up to what the balance says';
const inTime = 'no entry is dated before the one before it, nor before its period';
const asAgreed = 'of terms only the caps, times and payment change, and a price only to that of the plan';
const asSubscribed = 'a paid balance ends, renews and has its period and cap as its subscription says, and one of an operator has neither end nor cap';
const asTrial = 'a trial balance has one grant, of 50 credits, no overage, and ends after 30 days or with a later trial';
const asLogged = 'an adjustment says who made it, and why, as the activity log does';
const asGranted = 'a balance is in the period of its last grant, and each grant is what it grants a period';
const withinRelease = 'every segment lies within its release, which was published, and of the county that was asked for';

/** What an audit leaves behind when all balances hold. */
const remember = () =>
  'insert into audited_balance select id, entry_count, chain_head, remaining, overage_records, period_start from credit_balance';

/** Each invariant, and a way to break it and no other but those named last. */
const breaks: Record<string, [how: string, sql: () => string, also?: string[]][]> = {
  'the credits of a balance’s entries add up to what remains': [
    ['a balance that was helped', () => `update credit_balance set remaining = remaining + 1 where id = '${paid.balanceId}'`],
  ],
  'balances and their running totals follow one another without a break': [
    ['a running total that jumps', forge(inPaid, 'balance_after = balance_after + 1', 'sequence = 4')],
    ['a running overage that jumps', forge(inPaid, 'overage_after = overage_after + 1', 'sequence = 4')],
    ['an entry of another day than its id says', forge(inPaid, `at = at + interval '1 day'`, `kind = 'adjustment'`), [inTime]],
    [
      'an entry that was taken out',
      () => `delete from ledger_entry where balance_id = '${trial.balanceId}' and kind = 'read';
           update ledger_entry set sequence = 9 where balance_id = '${trial.balanceId}' and sequence = 3;
           update credit_balance set remaining = 50 where id = '${trial.balanceId}';
           select chain_anew('${trial.balanceId}')`,
    ],
  ],
  [inTime]: [
    ['a read of 1970', forge(inPaid, `at = '1970-01-01Z', id = overlay(id::text placing '00000000-0000' from 1)::uuid`, 'sequence = 4')],
    [
      'an entry that is earlier than the one before',
      forge(inPaid, `at = '2100-01-01Z', id = overlay(id::text placing '03bb2cc3-d800' from 1)::uuid`, 'sequence = 4'),
    ],
  ],
  'a period begins when the one before it has ended, or where a subscription starts anew': [
    [
      'three periods a second apart',
      () =>
        [1, 2, 3]
          .map(
            (n) =>
              `select open_period(b, b.period_start + interval '${n} seconds', b.period_end) from credit_balance b where id = '${paid.balanceId}'`,
          )
          .join(';'),
    ],
  ],
  'no read is later than the end of its period or balance': [
    ['a read after the end', append(() => `e.kind := 'read'; e.at := b.period_end; e.token_id := '${paid.tokenId}';`)],
  ],
  [asAgreed]: [
    ['a price of 50 cents, which the service itself records', recorded(setTerms('overage_unit_cents = 50')), [priced]],
    [
      'a trial that lasts a year longer',
      recorded(() => `update credit_balance set ends_at = ends_at + interval '1 year' where id = '${trial.balanceId}'`),
      [asTrial],
    ],
    ['a grant that is larger from now on', recorded(setTerms('grant_records = 4000')), [asGranted]],
  ],
  [asSubscribed]: [
    ['a balance that was ended at once', recorded(setTerms('ends_at = service_now()'))],
    ['a period that ends later', recorded(setTerms(`period_end = period_end + interval '1 day'`))],
    ['a cap that was lifted, which the service itself records', recorded(setTerms('overage_cap = 1000000'))],
    ['periods that need no payment', recorded(setTerms('renew_until = null'))],
    ['a subscription that is paid for by a balance of an operator', setTerms('is_metered = false'), [termsAsSaid]],
  ],
  'no balance is negative': [
    [
      'a balance below zero, booked in good order',
      append(
        () => `alter table credit_balance drop constraint if exists credit_balance_never_negative;
             alter table ledger_entry drop constraint if exists ledger_entry_balance_never_negative;
             e.kind := 'adjustment'; e.credits := -b.remaining - 1; e.actor := 'operator'; e.reason := 'a fine';`,
      ),
      [asLogged],
    ],
  ],
  [chainInvariant]: [
    ['an entry that was changed', () => `update ledger_entry set request_id = 'another' where kind = 'read' and sequence = 4`],
    [
      'an entry that says it follows another',
      () => `update ledger_entry e set previous_hash = sha256('x') where balance_id = '${paid.balanceId}' and sequence = 2;
           update ledger_entry e set hash = entry_hash(e) where balance_id = '${paid.balanceId}' and sequence = 2;
           update ledger_entry e set previous_hash = p.hash from ledger_entry p
            where e.balance_id = '${paid.balanceId}' and e.sequence = 3 and p.balance_id = e.balance_id and p.sequence = 2;
           update ledger_entry e set hash = entry_hash(e) where balance_id = '${paid.balanceId}' and sequence = 3;`,
    ],
  ],
  [lastInvariant]: [
    [
      'a balance without its only entry',
      () =>
        `${newBalance('eve', 'paid', 0)}; delete from ledger_entry where balance_id = (select id from credit_balance where account_id = 'eve')`,
      [termsAsSaid],
    ],
    [
      'an entry that the balance knows nothing of',
      () => `update credit_balance b set entry_count = entry_count - 1, chain_head = l.previous_hash
             from ledger_entry l where b.id = '${paid.balanceId}' and l.balance_id = b.id and l.sequence = b.entry_count`,
    ],
  ],
  'every entry belongs to a balance and, if a token made it, to a token of that balance': [
    ['an entry of no balance', () => `${newBalance('fay', 'paid', 0)}; delete from credit_balance where account_id = 'fay'`],
    ['a read of a token that does not exist', forge(inTrial, 'token_id = gen_random_uuid()', `kind = 'read'`)],
    ['a read of nobody', forge(inTrial, 'token_id = null', `kind = 'read'`)],
  ],
  'every read charged exactly the records of its segments': [
    ['a read of more than it charged', forge(inTrial, 'segments[3] = segments[3] + 1', `kind = 'read'`)],
  ],
  'a reversal takes back exactly what its read charged': [
    ['a reversal of more records than were read', forge(inPaid, 'records = records - 1', `kind = 'reversal'`), [asCounted]],
    [
      'a reversal that gives nothing back',
      () => `select reverse_entry(balance_id, id, 'not delivered', null) from ledger_entry where balance_id = '${trial.balanceId}' and kind = 'read';
           update ledger_entry set credits = 0, balance_after = 47 where balance_id = '${trial.balanceId}' and kind = 'reversal';
           update credit_balance set remaining = 47 where id = '${trial.balanceId}';
           select chain_anew('${trial.balanceId}')`,
    ],
    ['a reversal of nothing', append(() => `e.kind := 'reversal'; e.reverses := gen_random_uuid();`)],
  ],
  'a replay repeats a read of its balance, record for record': [
    ['a replay of more records than were read', forge(inPaid, 'records = records + 1', `kind = 'replay'`)],
    ['a replay of other records', forge(inPaid, 'segments[2] = segments[2] + 1', `kind = 'replay'`)],
    ['a replay of nothing', forge(inPaid, 'repeats = gen_random_uuid()', `kind = 'replay'`)],
  ],
  'a key buys once: of its reads one stands at the most': [
    ['a key that was charged twice', forge(inPaid, `idempotency_key = 'a key', attempt = 1`, 'sequence = 4')],
  ],
  'no read was taken back that was delivered by a replay': [
    [
      'a reversal of what was repeated',
      append(() => `e.kind := 'reversal'; e.reverses := ${theReplayed()}; e.records := -2; e.credits := 2;`),
    ],
  ],
  [asLogged]: [
    ['an adjustment by somebody who is in no activity log', () => `select adjust_balance('${paid.balanceId}', -1, 'a fine', 'nobody')`],
    ['an adjustment by nobody', forge(inPaid, 'actor = null', `kind = 'adjustment'`)],
    ['an adjustment for a blank reason', forge(inPaid, `reason = ' '`, `kind = 'adjustment'`)],
  ],
  [priced]: [
    [
      'a balance with more overage than its reads',
      () => `update credit_balance set overage_records = overage_records + 1 where id = '${paid.balanceId}'`,
    ],
    ['a record at another price', forge(inPaid, 'overage_cents = overage_cents + 1', `kind = 'read' and overage_records > 0`)],
  ],
  [asGranted]: [
    [
      'a period that nobody granted',
      () => `update credit_balance set period_start = period_start + interval '1 day' where id = '${trial.balanceId}'`,
      [asTrial],
    ],
    [
      'a grant of more than the balance has a period',
      () => `update credit_balance set remaining = remaining + 5 where id = '${paid.balanceId}';
           update ledger_entry set balance_after = balance_after + 5, credits = credits + case kind when 'grant' then 5 else 0 end
            where balance_id = '${paid.balanceId}';
           select chain_anew('${paid.balanceId}')`,
    ],
  ],
  'no read waits for its delivery or its reversal longer than a minute': [
    [
      'a read that nobody sweeps',
      () => `insert into undelivered_read select balance_id, request_id, id, clock_timestamp() - interval '61 seconds'
             from ledger_entry where balance_id = '${trial.balanceId}' and kind = 'read'`,
    ],
    ['a row that names no read', () => `insert into undelivered_read values ('${trial.balanceId}', 'none', gen_random_uuid())`],
    [
      'a delivered read that was put back to be swept',
      () => `insert into undelivered_read select balance_id, request_id, id, clock_timestamp() + interval '11 seconds'
             from ledger_entry where balance_id = '${trial.balanceId}' and kind = 'read'`,
    ],
  ],
  [termsAsSaid]: [
    [
      'a balance that was given to another account with its tokens',
      () => `update credit_balance set account_id = 'mallory' where id = '${paid.balanceId}';
           update api_token set account_id = 'mallory' where id = '${paid.tokenId}';
           update token_lookup set account_id = 'mallory' where token_id = '${paid.tokenId}'`,
      [tokensAsSaid],
    ],
    ['a cap that was set', setTerms('overage_cap = 100'), [asSubscribed]],
    ['a cap of a token that was lifted', setTerms('token_caps = null')],
    ['a cap of another token', setTerms(`token_caps = token_caps || jsonb_build_object(gen_random_uuid(), 1)`)],
    ['a price of the next periods', setTerms('overage_unit_cents = 1'), [priced]],
    ['a grant of the next periods', setTerms('grant_records = 11'), [asGranted]],
    ['overage that nobody is billed for', setTerms('is_metered = false'), [asSubscribed]],
    ['another anchor', setTerms(`period_anchor = period_anchor - interval '1 day'`)],
    ['an end that was put off', setTerms(`ends_at = period_end + interval '1 year'`), [asSubscribed]],
    ['a trial that became a paid plan', () => `update credit_balance set plan = 'paid' where id = '${trial.balanceId}'`, [asSubscribed]],
    [
      'a replaced trial that came back',
      () => `update credit_balance set is_closed = not is_closed where id = '${trial.balanceId}'`,
      [asTrial],
    ],
  ],
  [asCounted]: [
    [
      'a cap that counts a record too many',
      () =>
        `update credit_balance set token_records = jsonb_build_object('${paid.tokenId}', (token_records ->> '${paid.tokenId}')::integer + 1)
        where id = '${paid.balanceId}'`,
    ],
  ],
  [tokensAsSaid]: [
    ['another secret', () => `update token_lookup set token_hash = sha256('mine') where token_id = '${paid.tokenId}'`],
    [
      'a revocation that was undone, of a paid token',
      () => `set local session_replication_role = origin;
           update api_token set revoked_at = service_now() where id = '${paid.tokenId}';
           set constraints all immediate;
           set local session_replication_role = replica;
           update api_token set revoked_at = null where id = '${paid.tokenId}'`,
    ],
    ['a revocation that no entry knows', () => `update api_token set revoked_at = service_now() where id = '${paid.tokenId}'`],
    ['a token that no entry knows', () => `select add_token('${paid.balanceId}', 'bob', 'mine', sha256('mine'), service_now())`],
  ],
  'a token draws on a balance of its own account, and is found by one hash': [
    ['a hash that leads to another account', () => `update token_lookup set account_id = 'mallory' where token_id = '${trial.tokenId}'`],
    [
      'a token on the balance of another account',
      () => `update api_token set account_id = 'mallory' where id = '${paid.tokenId}';
           update token_lookup set account_id = 'mallory' where token_id = '${paid.tokenId}'`,
      [tokensAsSaid],
    ],
    ['a token that cannot be found', () => `delete from token_lookup where token_id = '${trial.tokenId}'`, [tokensAsSaid]],
    [
      'a second hash of one token',
      () =>
        `insert into token_lookup select sha256('second'), balance_id, token_id, account_id from token_lookup where token_id = '${paid.tokenId}'`,
      [tokensAsSaid],
    ],
    ['a hash of no token', () => `insert into token_lookup values (sha256('none'), '${paid.balanceId}', gen_random_uuid(), 'bob')`],
  ],
  [asTrial]: [
    ['a larger trial', () => newBalance('gus', 'trial', 51)],
    [
      'a trial that was granted twice',
      () => `do $$
      declare b credit_balance; e ledger_entry;
      begin
        alter table credit_balance drop constraint if exists credit_balance_trial_within_grant;
        select * into b from credit_balance where id = '${trial.balanceId}';
        b.period_start := b.period_start + interval '1 day';
        e.kind := 'grant'; e.credits := 50;
        perform append_entry(b, e);
        update credit_balance set period_start = b.period_start where id = b.id;
      end $$`,
      ['a period begins when the one before it has ended, or where a subscription starts anew'],
    ],
  ],
  'an account has one active trial at most': [
    [
      'a revocation that was undone',
      () => `set local session_replication_role = origin;
           update api_token set revoked_at = service_now() where id = '${trial.tokenId}';
           select issue_trial('ann', 'trial', sha256('ann 2'), 50, interval '30 days');
           set constraints all immediate;
           set local session_replication_role = replica;
           update api_token set revoked_at = null where id = '${trial.tokenId}'`,
      [tokensAsSaid],
    ],
  ],
  [auditedInvariant]: [
    [
      'a remembered entry that the balance does not have',
      () => `${remember()}; update audited_balance set head = sha256('x') where balance_id = '${paid.balanceId}'`,
    ],
    [
      'remembered entries of a balance that has fewer',
      () => `${remember()}; update audited_balance set entries = entries + 1 where balance_id = '${paid.balanceId}'`,
    ],
    [
      'remembered credits that the balance did not have',
      () => `${remember()}; update audited_balance set remaining = remaining + 1 where balance_id = '${paid.balanceId}'`,
    ],
    [
      'an old entry that was changed with all hashes after it',
      () => `${remember()}; ${forge(inPaid, `request_id = 'another'`, 'sequence = 4')()}`,
    ],
    [
      'a balance that is gone, with all that names it',
      () =>
        `${remember()}; ${['ledger_entry', 'api_token', 'token_lookup'].map((table) => `delete from ${table} where balance_id = '${trial.balanceId}'`).join(';')};
       delete from credit_balance where id = '${trial.balanceId}'`,
    ],
  ],
  [withinRelease]: [
    ['a read beyond the end', forge(inTrial, 'segments[2] = 30', `kind = 'read'`)],
    ['a read of no release', forge(inTrial, 'segments[1] = 1000000', `kind = 'read'`)],
    ['a read of another county than the one that was asked for', forge(inTrial, `county_fips = '25001'`, `kind = 'read'`)],
    ['a read of a release that is held', () => `update parcel_release set state = 'held', published_at = null`],
  ],
  'every readable release holds exactly the records it counts, numbered without gaps': [
    ['a release that counts one more', () => 'update parcel_release set loaded_count = loaded_count + 1, read_count = read_count + 1'],
  ],
  'every overage item is of a period of its balance, at the price of its overage': [
    ['an item of a period that never was', () => `update overage_item set period_start = period_start - interval '1 month'`],
    ['an item at another price', () => 'update overage_item set unit_cents = 4'],
  ],
  'all overage of ended subscriptions is billed, or has waited less than a week': [
    [
      'a subscription that ended and was never billed',
      () =>
        `update subscription set status = 'canceled', ends_at = service_now() - interval '8 days'; update overage_item set state = 'missed'`,
      [asSubscribed],
    ],
  ],
  [asSummed]: [
    ['a sum of what was not read', () => 'update hourly_usage set records = 1; update daily_usage set records = 1'],
    ['an hour of what was not read', () => 'update hourly_usage set records = 1'],
  ],
  'the records of a release are, letter for letter, those that were loaded': [
    ['a letter that was changed', () => `update parcel set record = replace(record, '7 Main', '7 Maim') where ordinal = 7`],
    [
      'two records that changed places',
      () => `update parcel set ordinal = case ordinal when 1 then -2 else -1 end where ordinal in (1, 2);
           update parcel set ordinal = -ordinal where ordinal < 0`,
    ],
  ],
};

describe('the audit', () => {
  afterEach(() => restore());

  it('finds good books whole, and has looked at something in each check', async () => {
    await db.query(
      `insert into undelivered_read select balance_id, request_id, id, at from ledger_entry where kind = 'read' and sequence = 4`,
    );
    const findings = await audit(pool, auditChecks);
    expect(findings.map(({ checked, ...finding }) => ({ ...finding, isEmpty: checked === 0 }))).toEqual(
      invariants.map((invariant) => ({ invariant, firstBreak: null, isEmpty: false })),
    );
  });

  it.each([
    ['reason', ' ', 'operator'],
    ['actor', 'a gift', ''],
  ])('never finds an adjustment with a blank %s, for none is written', async (_, reason, actor) => {
    const adjusted = db.query('select adjust_balance($1, 1, $2, $3)', [paid.balanceId, reason, actor]);
    await expect(adjusted).rejects.toThrow('an adjustment says who made it, and why');
    expect((await audit(pool, auditChecks)).filter(({ firstBreak }) => firstBreak !== null)).toEqual([]);
  });

  it.each(Object.entries(breaks).flatMap(([invariant, ways]) => ways.map(([how, sql, also = []]) => ({ invariant, how, sql, also }))))(
    'sees that not: $invariant ($how)',
    async ({ invariant, sql, also }) => {
      await breakBooks(db, sql());
      for (const checks of [auditChecks, slicedChecks]) {
        expect(brokenOf(await audit(pool, checks)).toSorted()).toEqual([invariant, ...also].toSorted());
      }
    },
  );

  it('says what differs from the ledger, and how', async () => {
    await breakBooks(db, setTerms(`overage_cap = 100, account_id = 'mallory'`)());
    const { firstBreak } = (await audit(pool, auditChecks)).find(({ invariant }) => invariant === termsAsSaid)!;
    expect(firstBreak).toBe(
      `balance ${paid.balanceId}: overage_cap is 100, its ledger says null; owner is "mallory", its ledger says "bob"`,
    );
  });

  it('has each of its checks tried here', () => {
    expect(Object.keys(breaks).toSorted()).toEqual(invariants.toSorted());
  });

  it('remembers each balance as it is, and none that is broken', async () => {
    const remembered = () => db.query('select * from audited_balance order by balance_id');
    await audit(pool, slicedChecks);
    const all = await remembered();
    expect(all).toEqual(
      await db.query(
        `select id as balance_id, entry_count as entries, chain_head as head, remaining, overage_records, period_start from credit_balance order by id`,
      ),
    );
    await breakBooks(db, `delete from audited_balance; update credit_balance set remaining = remaining + 1 where id = '${paid.balanceId}'`);
    await audit(pool, slicedChecks);
    expect((await remembered()).map(({ balance_id }) => balance_id)).not.toContain(paid.balanceId);
  });

  it('keeps no snapshot from one slice of the entries or records to the next', async () => {
    const client = await pool.connect();
    const { rows } = await client.query('select pg_backend_pid() as pid');
    let slices = 0;
    for (const check of slicedChecks.filter(({ isInSlices }) => isInSlices)) {
      for await (const _ of check.run(client, null)) {
        const seen = await db.query('select state, backend_xmin, xact_start from pg_stat_activity where pid = $1', [rows[0].pid]);
        expect(seen).toEqual([{ state: 'idle', backend_xmin: null, xact_start: null }]);
        slices++;
      }
    }
    client.release();
    expect(slices).toBeGreaterThan(10);
  });

  it('says which check is running, and how far it is', async () => {
    const seen: AuditProgress[] = [];
    await audit(pool, auditChecks, { onProgress: (progress) => seen.push(progress) });
    const count = auditChecks.length;
    expect(new Set(seen.map(({ number }) => number))).toEqual(new Set(auditChecks.map((_, index) => index + 1)));
    expect(seen.filter((progress) => progress.count !== count || progress.share < 0 || progress.share > 1)).toEqual([]);
    expect(seen.at(-1)).toMatchObject({ number: count, share: 1 });
  });

  it('is not held to the time limit of a request, in no check, and leaves the connection with it', async () => {
    const limited = openPool(db, { types: typeParsers, statement_timeout: 2_500, max: 1 });
    const limit = async (client: Pick<Pool, 'query'>) => (await client.query('show statement_timeout')).rows[0].statement_timeout;
    const seen: string[] = [];
    const looking = (isInSlices: boolean): BooksCheck => ({
      invariants: ['a limit'],
      ...(isInSlices && { isInSlices }),
      async *run(client) {
        seen.push(await limit(client as unknown as Pool));
        yield { checked: 1, firstBreak: null, share: 1 };
      },
    });
    await audit(limited, [looking(true), looking(false)]);
    expect([seen, await limit(limited)]).toEqual([['0', '0'], '2500ms']);
  });

  it('ends when it is told to', async () => {
    const signal = AbortSignal.abort(new Error('the server stops'));
    await expect(audit(pool, auditChecks, { signal })).rejects.toThrow('the server stops');
    expect(brokenOf(await audit(pool, auditChecks))).toEqual([]);
  });
});

describe('the audit of what is new', () => {
  const auditNew = () => runAudit(pool, runs, auditChecks, { actor: 'command line', isOnlyNew: true });
  const checkedOf = ({ findings }: Awaited<ReturnType<typeof auditNew>>) =>
    findings.find(({ invariant }) => invariant === chainInvariant)!.checked;
  const changed = (sequence: number) =>
    `update ledger_entry set request_id = 'another' where balance_id = '${paid.balanceId}' and sequence = ${sequence}`;

  beforeEach(async () => {
    await runAudit(pool, runs, auditChecks, { actor: 'schedule' });
    await db.moveClock('2 hours');
  });
  afterEach(() => restore());

  it('is kept in DATA_DIR as it was seen, whatever a row says', async () => {
    await breakBooks(db, changed(2));
    await runAudit(pool, runs, auditChecks, { actor: 'schedule' });
    await db.query(`insert into audit_run (actor, findings) values ('schedule', '[]')`);
    expect(await runs.last()).toMatchObject({ ok: true });
    expect(await lastSeenAudit(dataDir)).toMatchObject({ held: false });
  });

  it('checks everything as long as no audit has held', async () => {
    await db.query('delete from audit_run');
    expect((await auditNew()).since).toBeNull();
  });

  it('checks the entries since the last audit that held, each chain from the entry before', async () => {
    await books.spend(paid, 1);
    const news = await auditNew();
    expect(news.run.ok).toBe(true);
    expect(checkedOf(news)).toBe(2);
  });

  it('passes over an old entry that was changed, which the whole audit finds', async () => {
    await breakBooks(db, changed(2));
    expect((await auditNew()).run.ok).toBe(true);
    expect(brokenOf(await audit(pool, auditChecks))).toEqual([chainInvariant]);
  });

  it('checks new entries over the ends of slices, too, and nothing when there is nothing new', async () => {
    for (let i = 0; i < 5; i++) await books.spend(paid, 1);
    await books.spend(trial, 1);
    const sliced = await runAudit(pool, runs, slicedChecks, { actor: 'command line', isOnlyNew: true });
    expect([sliced.run.ok, checkedOf(sliced)]).toEqual([true, 5 + 1 + 1 + 1]);
    expect(checkedOf(await auditNew())).toBe(0);
  });

  it('can be led past a wrong new entry by whoever changes what is remembered; the whole audit cannot', async () => {
    await books.spend(paid, 1);
    await breakBooks(
      db,
      `
      update ledger_entry e set request_id = 'another' from credit_balance b
       where b.id = '${paid.balanceId}' and e.balance_id = b.id and e.sequence = b.entry_count;
      delete from audited_balance; ${remember()}`,
    );
    expect((await auditNew()).run.ok).toBe(true);
    expect(brokenOf(await audit(pool, auditChecks))).toEqual([chainInvariant]);
  });

  it('sees a new entry that was changed, again and again until it is mended', async () => {
    await books.spend(paid, 1);
    const [{ sequence } = { sequence: 0 }] = await db.query<{ sequence: number }>('select max(sequence) as sequence from ledger_entry');
    await breakBooks(db, changed(sequence));
    expect(brokenOf((await auditNew()).findings)).toEqual([chainInvariant]);
    await db.moveClock('2 hours');
    expect(brokenOf((await auditNew()).findings)).toEqual([chainInvariant]);
  });

  it('sees that the first new entry does not follow the last old one', async () => {
    await books.spend(paid, 1);
    await breakBooks(
      db,
      `
      update ledger_entry set previous_hash = sha256('x') where balance_id = '${paid.balanceId}'
         and sequence = (select entry_count from credit_balance where id = '${paid.balanceId}');
      update ledger_entry e set hash = entry_hash(e) where previous_hash = sha256('x');
      update credit_balance b set chain_head = e.hash from ledger_entry e where e.balance_id = b.id and e.previous_hash = sha256('x')`,
    );
    expect(brokenOf((await auditNew()).findings)).toEqual([chainInvariant]);
  });

  it('checks balances whole, also those without a new entry', async () => {
    await breakBooks(db, `update credit_balance set remaining = remaining + 1 where id = '${paid.balanceId}'`);
    expect(brokenOf((await auditNew()).findings)).toEqual(['the credits of a balance’s entries add up to what remains']);
  });

  it('checks everything when there is a check that was not made before', async () => {
    const [_, ...others] = auditChecks;
    await db.query('delete from audit_run');
    await runAudit(pool, runs, others, { actor: 'schedule' });
    expect((await auditNew()).since).toBeNull();
  });
});
