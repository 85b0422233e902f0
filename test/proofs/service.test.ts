import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { Command } from 'commander';
import { authSecretsOf } from '../../src/accounts/auth-secret.js';
import { auditChecks } from '../../src/audit/audit-checks.js';
import { registerAuditCommands } from '../../src/audit/commands.js';
import { createLog } from '../../src/core/log.js';
import { isAtHome, makeHome } from '../../src/database/database-home.js';
import { Alarms } from '../../src/jobs/outbound/alarms.js';
import { registerCopyCommands } from '../../src/jobs/outbound/commands.js';
import { OutboundHold } from '../../src/jobs/outbound/outbound-hold.js';
import { addJob } from '../../src/jobs/task.js';
import { verifyEd25519 } from '../../src/proofs/log/checkpoint.js';
import { registerLogCommands } from '../../src/proofs/log/commands.js';
import { sha256 } from '../../src/proofs/log/tree.js';
import { openCheckpoint, readProof, verifyConsistency, verifyInclusion } from '../../src/proofs/verifier/verify-ledger.js';
import { breakBooks, saveTables } from '../audit/breakable-books.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Json } from '../harness/caller.js';
import { cliServicesOf } from '../harness/cli-services.js';
import { createTestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import type { Person } from '../harness/person.js';
import { runCli } from '../harness/process.js';
import { publishRecords } from '../harness/records.js';
import { temporaryFolder } from '../harness/temporary-folder.js';

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

/** Runs a command as `npm run cli -- --json …` does, on the service's database; returns what it printed. */
async function cli(...args: string[]): Promise<Json> {
  const program = new Command().exitOverride();
  const services = cliServicesOf(app);
  registerLogCommands(program, services, async () => authSecretsOf(app.config));
  registerCopyCommands(program, services);
  registerAuditCommands(
    program,
    services,
    async () => auditChecks,
    async () => [],
  );
  const print = jest.spyOn(console, 'log').mockImplementation(() => {});
  try {
    await program.parseAsync(args, { from: 'user' });
    return JSON.parse(print.mock.lastCall![0] as string);
  } finally {
    print.mockRestore();
  }
}

const proofQuery = 'query ($id: ID!) { ledgerProof(balanceId: $id) }';
const recordQuery =
  'query ($id: ID!, $offset: Int!) { recordProof(entryId: $id, offset: $offset) { record releaseId index hashes release } }';

describe('the first checkpoint', () => {
  it('is signed when the first server starts, and names its key', async () => {
    expect((await checkpoints())[0]).toMatchObject({ size: 2 });
    const [key] = await app.db.query<{ text: string }>('select text from log_leaf where leaf_index = 1');
    expect(key!.text).toMatch(/^key .*\/ledger\//);
    const empty = { DATABASE_URL: (await createTestDatabase()).url, AUTH_SECRET: app.config.authSecret! };
    expect(await runCli(['checkpoint'], empty)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No checkpoint has been signed yet'),
    });
  });

  it('proves nothing of what came after it, and nobody is told otherwise', async () => {
    await sign(); // of the release, which would have another one signed
    const late = await app.signUp();
    await late.trialToken();
    const [{ id }] = (await late.ask('{ balances { id } }')).balances;
    await expect(late.ask(proofQuery, { id })).resolves.toEqual({ ledgerProof: null });
  });
});

describe('the newest checkpoint', () => {
  it('is public as text, on every server that has verified it, and the same for members', async () => {
    const note = await sign();
    await eventually('that server has it', async () => {
      const texts = await Promise.all([app, beside].map(async (each) => (await each.get('/page-data/checkpoint')).text));
      return texts.includes(note);
    });
    const server = (await app.get('/page-data/checkpoint')).text === note ? app : beside;
    const { status, headers, text } = await server.get('/page-data/checkpoint');
    expect([status, headers.get('content-type'), headers.get('cache-control'), text]).toEqual([
      200,
      'text/plain; charset=utf-8',
      'no-cache',
      note,
    ]);
    await expect(stranger.ask('{ checkpoint }')).resolves.toEqual({ checkpoint: note });
    expect((await app.call('POST', '/page-data/checkpoint')).status).toBe(405);
    const { text: key } = await server.get('/page-data/checkpoint-key');
    await expect(openCheckpoint(text, key, sha256, verifyEd25519)).resolves.toMatchObject({ origin: expect.stringContaining('/ledger/') });
  });

  it('has a time that operators see, and nobody else', async () => {
    await sign();
    const { checkpointSignedAt } = await operator.ask('{ checkpointSignedAt }');
    expect(Math.abs(Date.parse(checkpointSignedAt) - Date.now())).toBeLessThan(60_000);
    await expect(customer.ask('{ checkpointSignedAt }')).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('is signed by one of two servers, and goes on from all before, which the consistency proof shows', async () => {
    for (let i = 0; i < 3; i++) await sign();
    const { key } = await cli('checkpoint', 'key');
    const trees = await Promise.all((await checkpoints()).map(({ note }) => openCheckpoint(note, key, sha256, verifyEd25519)));
    const query = 'query ($from: Int!, $to: Int!) { checkpointConsistency(from: $from, to: $to) }';
    for (const [index, to] of trees.entries()) {
      for (const from of trees.slice(0, index + 1)) {
        const { checkpointConsistency } = await stranger.ask(query, { from: from.size, to: to.size });
        const hashes = checkpointConsistency.map((hash: string) => Buffer.from(hash, 'base64'));
        expect(verifyConsistency(from, to, hashes, sha256)).toBe(true);
      }
    }
    for (const span of ['from: 3, to: 2', 'from: 1, to: 1000'])
      await expect(stranger.ask(`{ checkpointConsistency(${span}) }`)).rejects.toMatchObject({ code: 'invalid_request' });
    const sizes = (await checkpoints()).map(({ size }) => size);
    expect(sizes).toEqual([...new Set(sizes)]);
  });
});

describe('a proof', () => {
  it('of a balance is for its owner and for operators, and tells others nothing, not even that the balance exists', async () => {
    await sign();
    const { ledgerProof } = await customer.ask(proofQuery, { id: balanceId });
    const { leaf, index, hashes, checkpoint } = readProof(ledgerProof);
    const tree = await openCheckpoint(checkpoint, (await cli('checkpoint', 'key')).key, sha256, verifyEd25519);
    expect(verifyInclusion(leaf, index, tree, hashes, sha256)).toBe(true);
    const [head] = await app.db.query<{ head: string }>(`select encode(chain_head, 'hex') as head from credit_balance where id = $1`, [
      balanceId,
    ]);
    expect(Buffer.from(leaf).toString()).toMatch(new RegExp(`^balance ${balanceId} \\d+ ${head!.head}$`));
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
      return (await app.db.query('select from logged_release')).length > 0;
    });
    const { recordProof: proof } = await customer.ask(recordQuery, { id: entryId, offset: 4 });
    const release = readProof(proof.release);
    const tree = await openCheckpoint(release.checkpoint, (await cli('checkpoint', 'key')).key, sha256, verifyEd25519);
    expect(verifyInclusion(release.leaf, release.index, tree, release.hashes, sha256)).toBe(true);
    const [, , fips, records, root] = Buffer.from(release.leaf).toString().split(' ');
    expect([fips, records]).toEqual([middlesex, '300']);
    const hashes = proof.hashes.map((hash: string) => Buffer.from(hash, 'base64'));
    expect(proof.record).toContain('"APN-5"');
    expect(verifyInclusion(Buffer.from(proof.record), proof.index, { size: 300, root: Buffer.from(root!, 'hex') }, hashes, sha256)).toBe(
      true,
    );
    const { entryRecords } = await customer.ask('query ($id: ID!) { entryRecords(id: $id, limit: 5) { recordsJson } }', { id: entryId });
    expect(entryRecords.recordsJson).toContain(proof.record);
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
  it('prints the newest checkpoint and its key, with which an audit from outside holds, and names what was changed', async () => {
    await sign();
    const file = join(await temporaryFolder(), 'checkpoint');
    const { checkpoint, origin } = await cli('checkpoint');
    const { key } = await cli('checkpoint', 'key');
    expect(key).toMatch(new RegExp(`^${origin.replaceAll('.', '\\.')}\\+[0-9a-f]{8}\\+[A-Za-z0-9+/]{44}$`));
    await writeFile(file, checkpoint);
    const report = await cli('audit', '--checkpoint', file, '--key', key);
    expect(report).toMatchObject({ ok: true });
    expect(report.findings.length).toBe(auditChecks.flatMap(({ invariants }) => invariants).length + 5);
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

  it('begins a new origin with a reason, which the activity log has, too', async () => {
    const old = (await sign()).split('\n');
    await app.db.moveClock('1 second');
    const { checkpoint } = await cli('checkpoint', 'new-origin', '--reason', 'restored the backup of Monday');
    const [leaf] = await app.db.query<{ text: string }>(
      'select text from log_leaf where leaf_index = 0 and origin_id = (select max(id) from log_origin)',
    );
    expect(leaf!.text).toBe(`origin ${old.slice(0, 3).join(' ')} restored the backup of Monday`);
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

  it('raises an alarm for operators instead of a checkpoint, and lets it go when the books are mended', async () => {
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

describe('whether the database is a copy', () => {
  const isAtHomeAfter = async (change: string) => {
    await makeHome(app.database.controlPool);
    await app.db.query(`update database_home set ${change}`);
    return isAtHome(app.database.controlPool);
  };

  it.each([
    [
      'a failover, which begins a timeline that a server sees within minutes, is none',
      `timeline = '000000FF', seen_at = service_now()`,
      true,
    ],
    ['servers that were all stopped for a month find none', `seen_at = service_now() - interval '30 days'`, true],
    [
      'a recovered backup, whose servers last saw another timeline yesterday, is one',
      `timeline = '000000FF', seen_at = service_now() - interval '1 day'`,
      false,
    ],
    ['a dump that was restored in another cluster is one', `cluster = '1'`, false],
    ['a dump that was restored beside the original is one', 'database_oid = 1', false],
  ])('%s', async (_, change, isHome) => {
    expect(await isAtHomeAfter(change)).toBe(isHome);
    expect(await isAtHome(app.database.controlPool)).toBe(isHome);
  });

  it('a database that an operator holds is one until it is confirmed', async () => {
    expect(await cli('database', 'hold', '--reason', 'a copied data directory')).toEqual({ is_real: false });
    expect(await isAtHome(app.database.controlPool)).toBe(false);
    // Neither a new log nor whoever deletes the alarm ends it.
    const { controlPool } = app.database;
    const log = createLog({ logLevel: 'silent' });
    const hold = new OutboundHold(controlPool, new Alarms(controlPool, log), log);
    await hold.look();
    await app.db.moveClock('1 second');
    await cli('checkpoint', 'new-origin', '--reason', 'the copy has lost entries');
    expect(await app.db.query(`select from alarm where source = 'database'`)).toHaveLength(1);
    await app.db.query('delete from alarm');
    await hold.look();
    expect(hold.isHeld()).toBe(true);
    expect(await cli('database', 'confirm', '--reason', 'it took over')).toEqual({ is_real: true });
    expect(await isAtHome(app.database.controlPool)).toBe(true);
  });
});
