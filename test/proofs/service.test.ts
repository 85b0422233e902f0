import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { auditChecks } from '../../src/audit/audit-checks.js';
import { addJob } from '../../src/jobs/task.js';
import { CheckpointKey, readTrusted, verifyEd25519 } from '../../src/proofs/log/checkpoint.js';
import { hashLeaf, rootOf, sha256 } from '../../src/proofs/log/tree.js';
import {
  followLog,
  leafHash,
  openCheckpoint,
  readProof,
  verifyConsistency,
  verifyInclusion,
  verifyLedger,
} from '../../src/proofs/verifier/verify-ledger.js';
import { breakBooks, saveTables } from '../audit/breakable-books.js';
import { startApp, type TestApp } from '../harness/app.js';
import { runCommand } from '../harness/command.js';
import { createTestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import type { Person } from '../harness/person.js';
import { runCli } from '../harness/process.js';
import { publishRecords } from '../harness/records.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import { newWitness } from './witness.js';

const middlesex = '25017';
const unknown = '00000000-0000-4000-8000-000000000000';

let app: TestApp;
let beside: TestApp;
let customer: Person;
let stranger: Person;
let operator: Person;
let balanceId: string;
let entryId: string;
beforeAll(async () => {
  app = await startApp();
  beside = await startApp({}, app);
  await publishRecords(app.db, middlesex, 300);
  customer = await app.signUp();
  stranger = await app.signUp();
  operator = await app.signUpOperator();
  const token = await customer.trialToken();
  const { json } = await app.get(`/api/parcels?county_fips=${middlesex}&limit=5`, { token });
  entryId = json.metering.ledger_entry_id;
  [{ id: balanceId }] = (await customer.ask('{ balances { id } }')).balances;
});

const checkpoints = () =>
  app.db.query<{ note: string; size: number }>('select note, size::integer from log_checkpoint order by origin_id, size');

/** Has any server sign one. */
async function sign(): Promise<string> {
  const before = (await checkpoints()).length;
  await addJob(app.database.pool, 'sign-checkpoint', {}, { key: 'sign-checkpoint', queue: 'sign-checkpoint' });
  await eventually('a checkpoint', async () => (await checkpoints()).length > before);
  return (await checkpoints()).at(-1)!.note;
}

const cli = (...args: string[]) => runCommand(app, ...args);

const proofQuery = 'query ($id: ID!) { ledgerProof(balanceId: $id) }';
const recordQuery = 'query ($id: ID!, $offset: Int!) { recordProof(entryId: $id, offset: $offset) }';

const newestFolder = async () => `/ledger/${(await checkpoints()).at(-1)!.note.split('\n')[0]!.split('/').at(-1)}`;

/** Runs the program that follows the log, some hours from now. */
const follow = async (
  kept: string | null,
  vkey: string,
  { hours = 0, witnesses = [] as string[], edit = (bytes: Uint8Array, _: string) => bytes } = {},
) =>
  followLog(kept, vkey, {
    sha256,
    verifySignature: verifyEd25519,
    now: (await app.db.query<{ now: number }>('select extract(epoch from service_now())::float * 1e6 as now'))[0]!.now + hours * 3600e6,
    witnesses,
    read: async (path) => {
      // Of this log: the newest one may be served by the other server first.
      const response = await fetch(app.url + (path === '/ledger/checkpoint' ? `${await newestFolder()}/checkpoint` : path));
      if (!response.ok) throw new Error(`${path} answers ${response.status}`);
      return edit(new Uint8Array(await response.arrayBuffer()), path);
    },
  });

describe('the first checkpoint', () => {
  it('is signed when the first server starts, and names its key', async () => {
    expect((await checkpoints())[0]).toMatchObject({ size: 2 });
    await expect(cli('checkpoint', 'key')).resolves.toMatchObject({ key: expect.stringContaining('/ledger/') });
    const empty = { DATABASE_URL: (await createTestDatabase()).url, AUTH_SECRET: app.config.authSecret! };
    expect(await runCli(['checkpoint'], empty)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No checkpoint has been signed yet'),
    });
  });

  it('proves nothing of what came after it, and does not claim to', async () => {
    await sign(); // of the release, which would have another one signed
    const late = await app.signUp();
    await late.trialToken();
    const [{ id }] = (await late.ask('{ balances { id } }')).balances;
    await expect(late.ask(proofQuery, { id })).resolves.toEqual({ ledgerProof: null });
  });
});

describe('the newest checkpoint', () => {
  it('is public as text, on every server that has verified it', async () => {
    const note = await sign();
    await eventually('that server has it', async () => {
      const texts = await Promise.all([app, beside].map(async (each) => (await each.get('/ledger/checkpoint')).text));
      return texts.includes(note);
    });
    const server = (await app.get('/ledger/checkpoint')).text === note ? app : beside;
    const { status, headers, text } = await server.get('/ledger/checkpoint');
    expect([status, headers.get('content-type'), headers.get('cache-control'), text]).toEqual([
      200,
      'text/plain; charset=utf-8',
      'no-cache',
      note,
    ]);
    expect((await app.call('POST', '/ledger/checkpoint')).status).toBe(405);
    const { text: key } = await server.get('/ledger/key');
    await expect(openCheckpoint(text, key, sha256, verifyEd25519)).resolves.toMatchObject({ origin: expect.stringContaining('/ledger/') });
  });

  it('has a time that only operators see', async () => {
    await sign();
    const { checkpointSignedAt } = await operator.ask('{ checkpointSignedAt }');
    expect(Math.abs(Date.parse(checkpointSignedAt) - Date.now())).toBeLessThan(60_000);
    await expect(customer.ask('{ checkpointSignedAt }')).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('is signed by one of two servers and continues all before it, as whoever follows the log sees in its tiles', async () => {
    for (let i = 0; i < 3; i++) await sign();
    const { key } = await cli('checkpoint', 'key');
    const kept = await checkpoints();
    for (const { note, size } of kept) {
      const { difference, facts, checkpoint } = await follow(note, key);
      expect([difference, checkpoint]).toEqual([null, kept.at(-1)!.note]);
      expect(facts).toContain(`The newest checkpoint goes on from the kept one: all its ${size} leaves are as they were.`);
    }
    const sizes = kept.map(({ size }) => size);
    expect(sizes).toEqual([...new Set(sizes)]);
  });
});

describe('whoever follows the log', () => {
  let key: string;
  let newest: string;
  beforeAll(async () => {
    await sign();
    ({ key } = await cli('checkpoint', 'key'));
    newest = await sign();
  });

  it('reads its leaves and tree in files that never change, from which the root follows', async () => {
    const [origin, digits, root] = newest.split('\n');
    const size = Number(digits);
    const folder = `${app.url}${origin!.slice(origin!.indexOf('/'))}`;
    const fileOf = async (path: string) => {
      const response = await fetch(`${folder}/${path}`);
      const [cache, encoding] = ['cache-control', 'content-encoding'].map((name) => response.headers.get(name));
      return { status: response.status, cache, encoding, bytes: Buffer.from(await response.arrayBuffer()) };
    };
    const [bundle, tile] = [await fileOf(`tile/entries/000.p/${size}`), await fileOf(`tile/0/000.p/${size}`)];
    expect(bundle.encoding).toBe('gzip');
    expect([bundle.cache, tile.cache]).toEqual(Array(2).fill('public, max-age=31536000, immutable'));
    const leaves: Buffer[] = [];
    for (let at = 0; at < bundle.bytes.length; at += 2 + bundle.bytes.readUInt16BE(at))
      leaves.push(bundle.bytes.subarray(at + 2, at + 2 + bundle.bytes.readUInt16BE(at)));
    expect(leaves.map((leaf) => leaf.toString().split(' ')[0])).toEqual(expect.arrayContaining(['time', 'key', 'balance', 'release']));
    expect(leaves.join('\n')).not.toContain(balanceId);
    expect(Buffer.concat(leaves.map((leaf) => Buffer.from(leafHash(leaf, sha256))))).toEqual(tile.bytes);
    expect(rootOf(leaves.map((leaf) => hashLeaf(leaf.toString()))).toString('base64')).toBe(root);
    expect((await fileOf(`tile/entries/000.p/${size - 1}`)).bytes).toEqual(
      bundle.bytes.subarray(0, bundle.bytes.length - 2 - leaves.at(-1)!.length),
    );
    for (const none of [
      `tile/0/000.p/${size + 1}`,
      'tile/0/000',
      'tile/0/001',
      'tile/0/000.p/0',
      'tile/00/000.p/1',
      'tile/0/x000/000.p/1',
      'tile/64/000',
      'x',
    ])
      expect([none, (await fileOf(none)).status]).toEqual([none, 404]);
    expect(await fileOf('checkpoint')).toMatchObject({ status: 200, cache: 'no-cache', bytes: Buffer.from(newest) });
  });

  it('is told of a fork, a stale checkpoint, another key and a log that has ended', async () => {
    const size = Number(newest.split('\n')[1]);
    const forked = newest.replace(`\n${size}\n`, `\n${size - 1}\n`);
    expect((await follow(forked, key)).difference).toMatch(/^FORK: /);
    expect((await follow(newest, key, { hours: 4 })).difference).toBe('The newest checkpoint is 4 hours old: one is due each hour.');
    const [older] = await checkpoints();
    const spoilt = (bytes: Uint8Array, path: string) => (path.includes('/tile/') ? bytes.map((byte) => byte ^ 1) : bytes);
    expect((await follow(older!.note, key, { edit: spoilt })).difference).toMatch(/^FORK: /);
    const other = new CheckpointKey('what a forger makes up, also 32 long').vkeyOf(newest.split('\n')[0]!);
    expect((await follow(null, other)).difference).toContain('is not signed by the key');
    expect((await follow(newest.replace(/^\S+/, 'elsewhere/ledger/1'), key)).difference).toContain('has ended');
  });

  it('sees the signature of a witness whose line an operator has added', async () => {
    const { vkey: witness, lineFor } = newWitness('witness.example/w');
    const { request } = await cli('checkpoint', 'request', '--old', '2');
    const [old, ...rest] = request.split('\n');
    const hashes = rest.slice(0, rest.indexOf('')).map((hash: string) => Buffer.from(hash, 'base64'));
    const note = rest.slice(rest.indexOf('') + 1).join('\n');
    expect([old, note]).toEqual(['old 2', newest]);
    const [before, after] = await Promise.all([(await checkpoints())[0]!.note, note].map(readTrusted));
    expect(verifyConsistency(before!, after!, hashes, sha256)).toBe(true);
    const file = join(await temporaryFolder(), 'line');
    await writeFile(file, lineFor(note, 1_700_000_000n));
    await expect(follow(null, key, { witnesses: [witness] })).resolves.toMatchObject({
      difference: expect.stringContaining('is not signed by'),
    });
    await expect(cli('checkpoint', 'cosign', '--witness', witness.replace('/w+', '/v+'), file)).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await cli('checkpoint', 'cosign', '--witness', witness, file);
    await expect(follow(newest, key, { witnesses: [witness] })).resolves.toMatchObject({
      difference: null,
      facts: expect.arrayContaining(['It is signed by the witness.']),
    });
  });
});

describe('a proof', () => {
  it('of a balance is for its owner and operators, and tells others nothing, not even that the balance exists', async () => {
    await sign();
    const { ledgerProof } = await customer.ask(proofQuery, { id: balanceId });
    const { leaf, index, hashes, checkpoint } = readProof(ledgerProof);
    const tree = await openCheckpoint(checkpoint, (await cli('checkpoint', 'key')).key, sha256, verifyEd25519);
    expect(verifyInclusion(leaf, index, tree, hashes, sha256)).toBe(true);
    const [head] = await app.db.query<{ leaf: string }>(
      `select concat('balance ', left(encode(e.hash, 'hex'), 32), ' ', entry_count, ' ', encode(chain_head, 'hex')) as leaf
         from credit_balance b join ledger_entry e on e.balance_id = b.id and e.sequence = 1 where b.id = $1`,
      [balanceId],
    );
    expect(Buffer.from(leaf).toString()).toBe(head!.leaf);
    await expect(operator.ask(proofQuery, { id: balanceId })).resolves.toMatchObject({ ledgerProof: expect.any(String) });
    const answers = await Promise.all(
      [balanceId, unknown, 'x', "' or 1=1"].map((id) =>
        stranger.ask(proofQuery, { id }).catch((error) => ({ code: error.code, message: error.message })),
      ),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ code: 'not_found' });
  });

  it('of a record shows its text in its release, and the release in the log', async () => {
    await eventually('its release is logged', async () => {
      await sign();
      return (await app.db.query(`select from log_place where subject like 'release %'`)).length > 0;
    });
    const { recordProof } = await customer.ask(recordQuery, { id: entryId, offset: 4 });
    const { key: vkey } = await cli('checkpoint', 'key');
    const report = await verifyLedger(null, { sha256, verifySignature: verifyEd25519, vkey, proofs: [recordProof] });
    const record = Buffer.from(readProof(recordProof).leaf).toString();
    expect(record).toContain('"APN-5"');
    expect(report).toMatchObject({
      difference: null,
      proved: [expect.stringMatching(/^Record 5 of release \d+ of county 25017 is as in .*"APN-5"/)],
    });
    const { entryRecords } = await customer.ask('query ($id: ID!) { entryRecords(id: $id, limit: 5) { recordsJson } }', { id: entryId });
    expect(entryRecords.recordsJson).toContain(record);
    for (const [who, id, offset] of [
      [stranger, entryId, 0],
      [customer, unknown, 0],
      [customer, 'x', 0],
      [customer, entryId, 5],
    ] as const) {
      await expect(who.ask(recordQuery, { id, offset })).rejects.toMatchObject({
        code: 'not_found',
      });
    }
    await expect(customer.ask(recordQuery, { id: entryId, offset: -1 })).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('the command line', () => {
  it('prints the newest checkpoint and its key, with which an outside audit confirms the books or names what was changed', async () => {
    await sign();
    const file = join(await temporaryFolder(), 'checkpoint');
    const { checkpoint, origin } = await cli('checkpoint');
    const { key } = await cli('checkpoint', 'key');
    expect(key).toMatch(new RegExp(`^${origin.replaceAll('.', '\\.')}\\+[0-9a-f]{8}\\+[A-Za-z0-9+/]{44}$`));
    await writeFile(file, checkpoint);
    const report = await cli('audit', '--checkpoint', file, '--key', key);
    expect(report).toMatchObject({ ok: true });
    expect(report.findings.length).toBe(auditChecks.flatMap(({ invariants }) => invariants).length + 6);
    await expect(cli('audit', '--checkpoint', file)).rejects.toMatchObject({ code: 'invalid_request' });
    await writeFile(
      file,
      checkpoint.replace(/\n(\d+)\n/, (_: string, size: string) => `\n${Number(size) - 1}\n`),
    );
    await expect(cli('audit', '--checkpoint', file, '--key', key)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('does not fit the key'),
    });
  });

  it('begins a new origin with a reason, which followers of the log and the activity log are told', async () => {
    const [old, { key }] = [await sign(), await cli('checkpoint', 'key')];
    await app.db.moveClock('1 second');
    const { checkpoint } = await cli('checkpoint', 'new-origin', '--reason', 'restored the backup of Monday');
    const says = `“origin ${old.split('\n').slice(0, 3).join(' ')} restored the backup of Monday”`;
    expect((await follow(old, key)).difference).toContain(says);
    const { adminActions } = await operator.ask('query ($id: ID!) { adminActions(target: $id) { actor action reason } }', {
      id: checkpoint.split('\n')[0],
    });
    expect(adminActions).toEqual([{ actor: 'command line', action: 'begin a new log', reason: 'restored the backup of Monday' }]);
    await expect(sign()).resolves.toMatch(checkpoint.split('\n')[0]!);
    await expect(cli('checkpoint', 'new-origin', '--reason', ' ')).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('a broken log', () => {
  const alarms = async () => (await operator.ask('{ logAlarms { text since } }')).logAlarms;

  it('raises an alarm for operators instead of a checkpoint, until the books are mended', async () => {
    await sign();
    const mend = await saveTables(app.db, ['credit_balance']);
    await breakBooks(app.db, `delete from credit_balance where id = '${balanceId}'`);
    await addJob(app.database.pool, 'sign-checkpoint', {}, { key: 'sign-checkpoint', queue: 'sign-checkpoint' });
    await eventually('the alarm', async () => (await alarms()).length > 0);
    expect(await alarms()).toEqual([{ text: expect.stringMatching(`balance ${balanceId} is gone`), since: expect.any(String) }]);
    await expect(customer.ask('{ logAlarms { text } }')).rejects.toMatchObject({ code: 'forbidden' });
    await mend();
    await sign();
    await eventually('the end of the alarm', async () => (await alarms()).length === 0);
  });
});
