import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Pool } from 'pg';
import { audit } from '../../src/audit/audit.js';
import { auditChecks } from '../../src/audit/audit-checks.js';
import { checkpointChecks } from '../../src/audit/checkpoint/checkpoint-checks.js';
import { shippedCheck } from '../../src/audit/shipped-checks.js';
import { readReason } from '../../src/core/reason.js';
import { LedgerExportStore } from '../../src/proofs/ledger-export.store.js';
import { readTrusted } from '../../src/proofs/log/checkpoint.js';
import { KeptCheckpoints } from '../../src/proofs/log/kept-checkpoints.js';
import { keysOf } from '../../src/proofs/log/log-room.js';
import { beginNewOrigin } from '../../src/proofs/log/new-origin.js';
import { CheckpointSigner } from '../../src/proofs/log/sign-checkpoint.js';
import { sha256 } from '../../src/proofs/log/tree.js';
import { verifyLedger } from '../../src/proofs/verifier/verify-ledger.js';
import { BreakableBooks, breakBooks, forgery, type Holder, middlesex, saveTables } from '../audit/breakable-books.js';
import type { TestDatabase } from '../harness/database.js';
import { publishRecords } from '../harness/records.js';

// The drill: a superuser of the database, with triggers and foreign keys off, against a checkpoint that was kept in a file.

const tables = [
  ...['credit_balance', 'api_token', 'token_lookup', 'ledger_entry', 'undelivered_read', 'overage_item', 'overage_change', 'subscription'],
  ...['parcel_release', 'parcel', 'parcel_attributes', 'county'],
  'audited_balance',
  ...['log_origin', 'log_leaves', 'log_node', 'log_checkpoint', 'log_place', 'release_root'],
];

let books: BreakableBooks;
let db: TestDatabase;
let pool: Pool;
let older: { note: string; vkeys: string[] };
/** What the operators keep elsewhere. */
let outside: typeof older;
let bob: Holder;
let ann: Holder;
let releases: [old: number, current: number];
let putBack: () => Promise<unknown>;
let logged: { first_index: string; lines: Buffer }[];
/** Bob's balance as it was five entries ago. */
let rewound: { name: string; leaf: string } | undefined;

beforeAll(async () => {
  books = await BreakableBooks.open();
  ({ db, pool, bob, ann } = books);
  releases = [books.releaseId, 0];
  await db.query(`insert into parcel_attributes values (${releases[0]}, 1, 30, '[{"zone":"R1"}]')`);
  await db.query(`update credit_balance set overage_cap = 100 where id = $1`, [bob.balanceId]);
  releases[1] = await publishRecords(db, middlesex, 30);
  await db.moveClock('1 hour');
  const secret = 'a secret of the tests, long enough';
  const keys = keysOf([secret]);
  const dataDir = await mkdtemp(join(tmpdir(), 'drill-'));
  const signer = new CheckpointSigner(pool, keys, new KeptCheckpoints(dataDir), 'records.example');
  await beginNewOrigin(pool, { dataDir, baseUrl: 'https://records.example' }, [secret], readReason('these books began without one'), null);
  const sign = async () => {
    const note = (await signer.sign())!;
    return { note, vkeys: [keys[0].vkeyOf((await readTrusted(note)).origin)] };
  };
  older = await sign();
  outside = await sign();
  logged = await db.query('select first_index, lines from log_leaves');
  const earlierLeaf = `concat('balance ', left(encode(f.hash, 'hex'), 32), ' ', e.sequence, ' ', encode(e.hash, 'hex'))`;
  [rewound] = await db.query<{ name: string; leaf: string }>(
    `select left(encode(f.hash, 'hex'), 32) as name, ${earlierLeaf} as leaf
       from credit_balance b join ledger_entry f on f.balance_id = b.id and f.sequence = 1
       join ledger_entry e on e.balance_id = b.id and e.sequence = b.entry_count - 5
      where b.id = $1`,
    [bob.balanceId],
  );
  putBack = await saveTables(db, tables);
  await db.query(
    `create table saved.function as select pg_get_functiondef(name::regproc) as text from unnest(array['entry_hash', 'terms_of']) name`,
  );
});

const tamper = (sql: string) => breakBooks(db, sql);

async function restore(): Promise<void> {
  await putBack();
  for (const { text } of await db.query<{ text: string }>('select text from saved.function')) await db.query(text);
}

/** All that `audit --checkpoint` finds broken, in words. */
async function found(against = outside): Promise<string[]> {
  const findings = await audit(pool, [...auditChecks, shippedCheck, ...checkpointChecks(against)]);
  return findings
    .filter(({ firstBreak }) => firstBreak !== null && firstBreak !== 'service_now() is not the function of this version') // our clock
    .map(({ invariant, firstBreak }) => `${invariant}: ${firstBreak}`);
}

/** Changes the first such entry, and hashes the balance's chain anew. */
const forged = (assignments: string, where: string) => () =>
  forgery(
    bob.balanceId,
    assignments,
    `sequence = (select min(sequence) from ledger_entry where balance_id = '${bob.balanceId}' and ${where})`,
  );
const rewind = (entries: number) => () =>
  `delete from ledger_entry e using credit_balance b where b.id = '${bob.balanceId}' and e.balance_id = b.id and e.sequence > b.entry_count - ${entries};
   select chain_anew('${bob.balanceId}')`;
const anyRead = `kind = 'read' and records > 0`;
const aHead = /entry \d+ of balance \S+ \(.+\) is not the one that was logged/;
const linesOf = (leaves: string[]) => `'\\x${deflateRawSync(leaves.join('\n')).toString('hex')}'`;
/** Changes leaves of the log. */
const relog = (edit: (leaf: string) => string) =>
  logged
    .map(({ first_index, lines }) => {
      const leaves = inflateRawSync(lines).toString().split('\n').map(edit);
      return `update log_leaves set lines = ${linesOf(leaves)} where first_index = ${first_index}`;
    })
    .join(';');
const anotherLeaf = `insert into log_leaves select origin_id, max(first_index + count), 1, ${linesOf(['time 1'])} from log_leaves group by 1`;
/** Signed by a key of the forger's own, under the name of the real one. */
const forgersNote = (leaf: string) => {
  const [origin, size] = outside.note.split('\n');
  const text = `${origin}\n${leaf === '' ? size : Number(size) + 1}\n${sha256(Buffer.from('a root')).toString('base64')}\n`;
  return `${text}\n${keysOf(['what a forger makes up, also 32 long'])[0].signatureLine(text, origin!)}`;
};

/** Ways to change what a checkpoint covers, and what names each. Changes that need no checkpoint to be found are in test/audit. */
const ways: [how: string, sql: () => string, named: RegExp][] = [
  // The ledger. That its hash covers each field of an entry: test/proofs/verify-ledger.test.ts.
  ['a balance is rewound by five entries, with its head', rewind(5), /balance \S+ ends with entry \d+: \d+ were logged/],
  [
    'an entry is cut out, and all after it are renumbered and hashed anew',
    () =>
      `create temporary table cut on commit drop as select * from ledger_entry where balance_id = '${bob.balanceId}' order by sequence;
       delete from ledger_entry where balance_id = '${bob.balanceId}';
       insert into ledger_entry select * from cut where sequence < 6;
       update cut set id = (left(id::text, 28) || lpad(to_hex(sequence - 1), 8, '0'))::uuid, sequence = sequence - 1 where sequence > 6;
       insert into ledger_entry select * from cut where sequence >= 6 and sequence not in (select sequence from ledger_entry where balance_id = '${bob.balanceId}')
           on conflict do nothing;
       select chain_anew('${bob.balanceId}')`,
    /entry|balance \S+ ends/,
  ],
  ['a read is of another request', forged(`request_id = 'another'`, anyRead), aHead],
  [
    'a grant is of more',
    forged('credits = credits + 1, balance_after = balance_after + 1', `kind = 'grant'`),
    /of a balance that is gone, or has another first entry/,
  ],
  ['terms are others, back to the first', forged(`reason = replace(reason, '"owner": "bob"', '"owner": "ann"')`, `kind = 'terms'`), aHead],
  [
    'an entry is changed, and entry_hash() says that it is well',
    () =>
      `create or replace function entry_hash(e ledger_entry) returns bytea language sql immutable as 'select e.hash';
       update ledger_entry set request_id = 'x' where balance_id = '${bob.balanceId}' and kind = 'read'`,
    /does not have the hash of what it says/,
  ],
  [
    'a cap is removed, and terms_of() says that it is there',
    () =>
      `create or replace function terms_of(b credit_balance) returns jsonb language sql stable as
         'select reason::jsonb from ledger_entry where balance_id = b.id and kind = ''terms'' order by sequence desc limit 1';
       update credit_balance set overage_cap = null where id = '${bob.balanceId}'`,
    /terms_of\(\) is not the function of this version/,
  ],
  [
    'a balance is gone, with all that names it',
    () =>
      `${['ledger_entry', 'api_token', 'token_lookup', 'undelivered_read']
        .map((table) => `delete from ${table} where balance_id = '${ann.balanceId}'`)
        .join(';')}; delete from credit_balance where id = '${ann.balanceId}'`,
    /entries were logged of a balance that is gone/,
  ],
  // What was sold
  [
    'a record has another text, and its release another checksum',
    () =>
      `update parcel set record = replace(record, 'Main', 'Maim') where release_id = ${releases[0]} and ordinal = 7;
       update parcel_release set records_sha256 = (select sha256(string_agg(convert_to(record || chr(10), 'UTF8'), ''::bytea order by ordinal)) from parcel where release_id = ${releases[0]}) where id = ${releases[0]}`,
    /the records of release \d+ are not those that were logged/,
  ],
  [
    'the attributes of sold records are others',
    () => `update parcel_attributes set attributes = '[{"zone":"R2"}]'`,
    /the attributes of release \d+ are not/,
  ],
  [
    'a release is marked as pruned',
    () => `update parcel_release set state = 'pruned' where id = ${releases[0]}; delete from parcel where release_id = ${releases[0]}`,
    /must still be kept/,
  ],
  [
    'the current release is marked as pruned, as if replaced long ago',
    () =>
      `update parcel_release set state = 'pruned', superseded_at = published_at, published_at = published_at - interval '9 days' where id = ${releases[1]}`,
    /must still be kept/,
  ],
  [
    'a release is gone',
    () =>
      `delete from parcel_release where id = ${releases[0]}; delete from parcel where release_id = ${releases[0]}; delete from release_root`,
    /release \d+ of county 25017 is gone/,
  ],
  [
    'a release is of another county',
    () => `update parcel_release set county_fips = '25019' where id = ${releases[0]}`,
    /was logged with 30 of county 25017/,
  ],
  // Deliveries
  [
    'a delivered read is put back to be swept',
    () =>
      `insert into undelivered_read (balance_id, request_id, entry_id) select balance_id, request_id, id from ledger_entry where ${anyRead} and balance_id = '${bob.balanceId}' and sequence = (select max(sequence) from ledger_entry where ${anyRead} and balance_id = '${bob.balanceId}' and not exists (select from ledger_entry r where r.reverses = ledger_entry.id))`,
    /waits to be taken back/,
  ],
  [
    'a delivered read was put back, and has been swept',
    () =>
      `select reverse_entry(balance_id, id, 'not delivered', null) from ledger_entry e where balance_id = '${ann.balanceId}' and ${anyRead}`,
    /was taken back by .+ after it/,
  ],
  // The log itself
  ['a leaf is changed', () => relog((leaf) => leaf.replace('balance', 'balancf')), /do not have the root of the checkpoint/],
  [
    'a leaf names what only looks like a balance',
    () => relog((leaf) => leaf.replace(/^balance .*/, `balance ${'-'.repeat(32)} 1 ${'0'.repeat(64)}`)),
    /do not have the root of the checkpoint/,
  ],
  [
    'the times of batches go back',
    () => relog((leaf) => leaf.replace(/^time .*/, 'time 1')),
    /says “time 1”, which is not after the batch before it/,
  ],
  ['leaves are unreadable', () => `update log_leaves set lines = '\\x00'`, /the log lacks \d+ of its \d+ leaves/],
  [
    'a balance is rewound, and its leaf says so',
    () => `${rewind(5)()}; ${relog((leaf) => (leaf.startsWith(`balance ${rewound!.name}`) ? rewound!.leaf : leaf))}`,
    /do not have the root of the checkpoint/,
  ],
  [
    'the log is cut back to an older signed checkpoint',
    () =>
      `delete from log_checkpoint where size = (select max(size) from log_checkpoint); delete from log_leaves where first_index >= (select max(size) from log_checkpoint)`,
    /it was cut back/,
  ],
  ['the log is gone', () => 'delete from log_origin; delete from log_leaves; delete from log_checkpoint', /the database has no log/],
  [
    'the newest checkpoint has another root, by another key',
    () => `update log_checkpoint set note = '${forgersNote('')}' where size = (select max(size) from log_checkpoint)`,
    /is not signed by the key/,
  ],
  [
    'a leaf was appended and signed by another key',
    () =>
      `${anotherLeaf}; insert into log_checkpoint select origin_id, max(first_index + count), '${forgersNote('time 1')}' from log_leaves group by 1`,
    /is not signed by the key/,
  ],
  [
    'the tree names another key',
    () => relog((leaf) => leaf.replace(/^key .*/, `key ${keysOf(['what a forger makes up, also 32 long'])[0].vkeyOf('x')}`)),
    /do not have the root of the checkpoint/,
  ],
  ['a leaf was appended that nobody signed', () => anotherLeaf, /leaves, and \d+ were signed/],
];

describe('a superuser cannot, unnoticed by `audit --checkpoint`', () => {
  beforeAll(async () => {
    expect(await found()).toEqual([]);
    expect(await found(older)).toEqual([]);
  });
  afterEach(restore);

  it.each(ways)('see to it that %s', async (_, sql, named) => {
    await tamper(sql());
    expect((await found()).join('\n')).toMatch(named);
  });

  it('have a checkpoint believed that the key has not signed', async () => {
    const [origin] = outside.note.split('\n');
    const theirs = keysOf(['what a forger makes up, also 32 long']);
    expect(await found({ note: forgersNote(''), vkeys: outside.vkeys })).toEqual([expect.stringContaining('is not signed by the key')]);
    expect(await found({ ...outside, vkeys: [theirs[0].vkeyOf(origin!)] })).toEqual([expect.stringContaining('is not signed by the key')]);
  });
});

describe('nor can they take away, for a night, what guards the tables', () => {
  it.each([
    [
      'a trigger',
      'alter table ledger_entry disable trigger ledger_entry_append_only',
      'alter table ledger_entry enable trigger ledger_entry_append_only',
      'trigger ledger_entry_append_only is not in force',
    ],
    [
      'a trigger’s name',
      'alter trigger credit_balance_terms on credit_balance rename to harmless',
      'alter trigger harmless on credit_balance rename to credit_balance_terms',
      'trigger credit_balance_terms is gone, trigger harmless is new',
    ],
    [
      'what a constraint says',
      'alter table credit_balance drop constraint credit_balance_cap_not_negative, add constraint credit_balance_cap_not_negative check (true)',
      'alter table credit_balance drop constraint credit_balance_cap_not_negative, add constraint credit_balance_cap_not_negative check (overage_cap >= 0)',
      'constraint credit_balance_cap_not_negative is not in force',
    ],
    [
      'a unique index',
      'alter index ledger_entry_one_grant_a_period rename to one',
      'alter index one rename to ledger_entry_one_grant_a_period',
      'index ledger_entry_one_grant_a_period is gone',
    ],
    [
      'a table, for a view of it',
      'alter table audit_run rename to kept; create view audit_run as table kept',
      'drop view audit_run; alter table kept rename to audit_run',
      'table audit_run is not in force',
    ],
    [
      'what is written, by a rule',
      'create rule silent as on insert to audit_run do instead nothing',
      'drop rule silent on audit_run',
      'rule silent is new',
    ],
  ])('%s', async (_, take, giveBack, named) => {
    await db.query(take);
    const broken = await audit(pool, [shippedCheck]).finally(() => db.query(giveBack));
    expect(broken[1]!.firstBreak).toBe(named);
    expect((await audit(pool, [shippedCheck]))[1]!.firstBreak).toBeNull();
  });
});

describe('what a checkpoint cannot tell, a customer’s receipts do', () => {
  afterEach(restore);

  const hashes = async () =>
    (
      await db.query<{ hash: string }>(
        `select encode(hash, 'hex') as hash from ledger_entry where balance_id = $1 and kind in ('read', 'replay') order by sequence`,
        [ann.balanceId],
      )
    ).map(({ hash }) => hash);
  const check = async (receipts: string[]) => {
    const { text } = (await new LedgerExportStore(pool).page('ann', ann.balanceId, 0, 5000))!;
    return verifyLedger([Buffer.from(text)], { sha256, receipts: receipts.join('\n') });
  };

  it('a read that was appended after the checkpoint', async () => {
    const receipts = await hashes();
    await books.spend(ann, 7);
    expect(await found()).toEqual([]);
    expect((await check(receipts)).receipts).toMatchObject({
      found: 1,
      chargedWithoutReceiptCount: 1,
      chargedWithoutReceipt: [{ records: 7 }],
    });
  });

  it('a read that was never delivered, and is not taken back', async () => {
    const receipts = await hashes();
    const id = await books.spend(ann, 2);
    expect(await found()).toEqual([]);
    expect((await check(receipts)).receipts).toMatchObject({ chargedWithoutReceipt: [{ id, records: 2 }] });
  });

  it('a read that was rewritten after the checkpoint', async () => {
    await books.spend(ann, 2);
    const receipts = await hashes();
    await tamper(
      `update ledger_entry set segments[2] = 9 where balance_id = '${ann.balanceId}' and sequence = (select entry_count from credit_balance where id = '${ann.balanceId}'); select chain_anew('${ann.balanceId}')`,
    );
    expect((await check(receipts)).difference).toContain('No entry has the hash of the receipt');
  });
});
