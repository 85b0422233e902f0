import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { createLog } from '../../src/core/log.js';
import { readReason } from '../../src/core/reason.js';
import { typeParsers } from '../../src/database/database.js';
import { Alarms } from '../../src/jobs/outbound/alarms.js';
import { readCheckpoint, readTrusted, signCheckpoint, verifyEd25519 } from '../../src/proofs/log/checkpoint.js';
import { CheckpointWatch } from '../../src/proofs/log/checkpoint-watch.js';
import { KeptCheckpoints } from '../../src/proofs/log/kept-checkpoints.js';
import { LogStore } from '../../src/proofs/log/log.store.js';
import { LogProofs } from '../../src/proofs/log/log-proofs.js';
import { keysOf } from '../../src/proofs/log/log-room.js';
import { beginNewOrigin } from '../../src/proofs/log/new-origin.js';
import { RecordProofs } from '../../src/proofs/log/record-proof.js';
import { CheckpointSigner } from '../../src/proofs/log/sign-checkpoint.js';
import { sha256 } from '../../src/proofs/log/tree.js';
import { readProof, successorsOf, verifyInclusion } from '../../src/proofs/verifier/verify-ledger.js';
import { breakBooks, saveTables } from '../audit/breakable-books.js';
import { openPool } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { publishRecords } from '../harness/records.js';
import { Books, type BookToken } from '../ledger/books.js';

const middlesex = '25017';
const baseUrl = 'https://records.example';
const [oldSecret, secret] = ['the secret before, of the tests as well', 'a secret of the tests, long enough'];

let books: Books;
let pool: Pool;
let releaseId: number;
let trial: BookToken;
let server: Server;
beforeAll(async () => {
  books = await Books.open();
  pool = openPool(books.db, { types: typeParsers });
  server = await serverOf([secret]);
  await server.signer.begin();
  releaseId = await publishRecords(books.db, middlesex, 600);
  trial = await books.newTrial();
});

type Server = Awaited<ReturnType<typeof serverOf>>;

/** A server's log, by its secrets and its DATA_DIR. */
async function serverOf(secrets: [string, ...string[]], dataDir?: string) {
  const dir = dataDir ?? (await mkdtemp(join(tmpdir(), 'checkpoint-')));
  const keys = keysOf(secrets);
  const kept = new KeptCheckpoints(dir);
  const alarms = new Alarms(pool, createLog({ logLevel: 'silent' }));
  return {
    dataDir: dir,
    kept,
    keys,
    alarms,
    signer: new CheckpointSigner(pool, keys, kept, 'records.example'),
    watch: new CheckpointWatch(pool, keys, kept, alarms, `server ${dir}`),
    sign: async function () {
      return (await this.signer.sign())!;
    },
  };
}

const leaves = async () => {
  const log = new LogStore(pool);
  return log.leaves((await log.newestOrigin())!.id, { start: 0, end: Number.MAX_SAFE_INTEGER });
};
const sizeOf = async (note: string) => (await readTrusted(note)).size;

/** Breaks these tables, and mends them after the work. */
async function whileBroken(sql: string, tables: string[], work: () => Promise<unknown>): Promise<void> {
  const restore = await saveTables(books.db, tables);
  await breakBooks(books.db, sql);
  try {
    await work();
  } finally {
    await restore();
  }
}

describe('a checkpoint', () => {
  let first: string;

  it('logs the time, the key, each balance with its head, and each release with its root', async () => {
    first = await server.sign();
    const [time, key, time2, balance, time3, release, ...more] = await leaves();
    const { name } = (await books.db.query<{ name: string }>('select name from log_origin'))[0]!;
    expect(name).toMatch(/^records\.example\/ledger\/\d{8}T\d{6}Z$/);
    expect([time, time2, time3]).toEqual(Array(3).fill(expect.stringMatching(/^time \d{16}$/)));
    expect(key).toBe(`key ${server.keys[0].vkeyOf(name)}`);
    const [head] = await books.db.query<{ line: string }>(
      `select concat('balance ', left(encode(e.hash, 'hex'), 32), ' ', entry_count, ' ', encode(chain_head, 'hex')) as line
         from credit_balance b join ledger_entry e on e.balance_id = b.id and e.sequence = 1`,
    );
    expect(balance).toBe(head!.line);
    expect(balance).not.toContain(trial.balanceId);
    expect(release).toMatch(new RegExp(`^release ${releaseId} ${middlesex} 600 [0-9a-f]{64} [0-9a-f]{64}$`));
    expect(more).toEqual([]);
    await expect(readCheckpoint(first, [server.keys[0].vkeyOf(name)])).resolves.toMatchObject({
      origin: name,
      size: 6,
      time: Number(time3!.split(' ')[1]),
    });
    await expect(server.kept.newest()).resolves.toBe(first);
  });

  it('appends only the time and what changed', async () => {
    expect(await sizeOf(await server.sign())).toBe(7);
    await books.spend(trial, 3, { segments: [releaseId, 1, 3] });
    expect(await sizeOf(await server.sign())).toBe(9);
    const entries = await books.value<number>('select entry_count from credit_balance where id = $1', [trial.balanceId]);
    expect((await leaves()).at(-1)).toMatch(new RegExp(`^balance [0-9a-f]{32} ${entries} `));
  });

  it('proves each record of a release by one chunk of 256', async () => {
    const records = new RecordProofs(pool, new LogProofs(pool));
    for (const ordinal of [1, 2, 255, 256, 257, 512, 513, 599, 600]) {
      const { leaf, index, hashes, checkpoint } = readProof((await records.of(releaseId, ordinal))!);
      const [, , , count, root] = Buffer.from(readProof(checkpoint).leaf).toString().split(' ');
      const tree = { size: Number(count), root: Buffer.from(root!, 'hex') };
      const record = Buffer.from(leaf).toString();
      expect(record).toContain(`"APN-${ordinal}"`);
      expect(index).toBe(ordinal - 1);
      expect(verifyInclusion(leaf, index, tree, hashes, sha256)).toBe(true);
      expect(verifyInclusion(Buffer.from(record.replace('Main', 'Maim')), index, tree, hashes, sha256)).toBe(false);
    }
    await expect(records.of(releaseId, 601)).resolves.toBeNull();
  });

  it('is appended by one server, and by the next if that one is killed in the middle', async () => {
    const [one, two] = [await serverOf([secret]), await serverOf([secret])];
    const before = await sizeOf(await server.sign());
    const signed = await Promise.all([one.signer.sign(), two.signer.sign()]);
    expect(signed.filter((note) => note !== null).length).toBeGreaterThanOrEqual(1);
    expect((await leaves()).length - before).toBe(signed.filter((note) => note !== null).length);
    const killed = new AbortController();
    killed.abort(new Error('killed'));
    await expect(one.signer.sign(killed.signal)).rejects.toThrow('killed');
    let note: string | null = null;
    await eventually('Postgres has ended the session of the killed one', async () => {
      note = await two.signer.sign();
      return note !== null;
    });
    const after = await sizeOf(note!);
    expect((await leaves()).length).toBe(after);
  });

  it('cannot be changed by anybody', async () => {
    for (const table of ['log_origin', 'log_leaves', 'log_node', 'log_checkpoint', 'log_cosignature', 'release_root']) {
      await expect(books.db.query(`delete from ${table}`)).rejects.toThrow('append-only');
      await expect(pool.query(`truncate ${table}`)).rejects.toThrow(/append-only|permission denied/);
    }
  });

  it('continues a tree of more than 256 leaves', async () => {
    const many = await Promise.all(Array.from({ length: 300 }, () => books.newTrial()));
    const size = await sizeOf(await server.sign());
    expect(size).toBeGreaterThan(300);
    const again = await server.sign();
    expect(await sizeOf(again)).toBe(size + 1);
    const proof = readProof((await new LogProofs(pool).ofBalance(many[7]!.balanceId, null))!);
    const tree = await readTrusted(proof.checkpoint);
    expect(verifyInclusion(proof.leaf, proof.index, tree, proof.hashes, sha256)).toBe(true);
  });
});

// All other ways to break books and log: test/audit/breaks.ts.
describe('nothing is signed', () => {
  it.each<[string, string, string[], string]>([
    ['the stored tree does not give the last root', `update log_node set hash = sha256('x')`, ['log_node'], 'does not have the root'],
    [
      'a leaf of a full bundle is another',
      `update log_leaves set lines = '\\x' where first_index = (select min(leaf_index) from log_place where subject like 'balance %')`,
      ['log_leaves'],
      'is not the one that was signed',
    ],
  ])('if %s', async (_, sql, tables, reason) => {
    await server.sign();
    await whileBroken(sql, tables, async () => {
      await expect(server.sign()).rejects.toThrow(reason);
      await expect((await serverOf([secret], server.dataDir)).signer.sign()).rejects.toThrow(reason);
    });
    await server.sign();
  });

  it('by a changed secret without the previous one; with it both sign, and the tree names the new key', async () => {
    const other = await serverOf([oldSecret], server.dataDir);
    await expect(other.sign()).rejects.toThrow('was not signed by AUTH_SECRET or AUTH_SECRET_PREVIOUS');
    const rotated = await serverOf([oldSecret, secret], server.dataDir);
    const note = await rotated.sign();
    const { origin } = await readTrusted(note);
    for (const key of rotated.keys) await expect(readCheckpoint(note, [key.vkeyOf(origin)])).resolves.toBeTruthy();
    const keys = (await leaves()).filter((text) => text.startsWith('key '));
    const vkeys = [server, rotated].map((each) => each.keys[0].vkeyOf(origin));
    expect(keys).toEqual([`key ${vkeys[0]}`, expect.stringContaining(`key ${vkeys[1]} `)]);
    // Whoever kept the first one can go on to the next, also when the old secret signs no longer, and nobody can vouch for another.
    await expect(successorsOf(vkeys[0]!, keys, sha256, verifyEd25519)).resolves.toEqual(vkeys);
    const forged = keys.map((text) => text.replace(vkeys[1]!, vkeys[0]!.replace(/.{4}=$/, 'AAA=')));
    await expect(successorsOf(vkeys[0]!, forged, sha256, verifyEd25519)).resolves.toEqual([vkeys[0]]);
    await expect(other.sign()).resolves.toMatch(origin);
    // A server that was not restarted yet.
    await rotated.sign();
    await server.sign();
    const back = await serverOf([secret, oldSecret], server.dataDir);
    await back.sign();
  });
});

describe('each server', () => {
  it('keeps the newest checkpoint that continues the one it had, and raises an alarm at any other', async () => {
    const idle = await serverOf([secret]);
    await idle.watch.look();
    const newest = await server.sign();
    await idle.watch.look();
    expect([await idle.kept.newest(), idle.watch.newest]).toEqual([newest, newest]);
    const cut = `delete from log_checkpoint where size = (select max(size) from log_checkpoint)`;
    await whileBroken(cut, ['log_checkpoint'], async () => {
      await idle.watch.look();
      expect(await idle.alarms.list()).toEqual([{ text: expect.stringContaining('is kept in DATA_DIR'), since: expect.any(Date) }]);
      expect(await idle.kept.newest()).toBe(newest);
    });
    await idle.watch.look();
    expect(await idle.alarms.list()).toEqual([]);
  });

  it('keeps the first checkpoint of each hour, day and month, the oldest for the audit', async () => {
    const { kept, keys } = await serverOf([secret]);
    const noteAt = (time: string) =>
      signCheckpoint({ origin: 'a', size: 1, root: sha256(Buffer.of()), time: Date.parse(time) * 1000 }, [keys[0]]);
    const times = ['2026-01-15T10:00', '2026-01-15T11:00', '2026-02-01T00:03', '2026-02-01T00:20', '2026-02-01T01:03', '2026-02-01T01:20'];
    for (const time of times) await kept.keep(noteAt(`${time}Z`));
    for (let hour = 0; hour < 40 * 24; hour++) await kept.keep(noteAt(new Date(Date.UTC(2026, 1, 2, hour, 3)).toISOString()));
    const names = await readdir(kept.folder);
    expect(names.sort().slice(0, 3)).toEqual(['20260115T100000.000Z.txt', '20260201T000300.000Z.txt', '20260211T000300.000Z.txt']);
    expect(names).toHaveLength(2 + 31 + 23);
    expect([await kept.oldest(), await kept.newest()]).toEqual([noteAt('2026-01-15T10:00Z'), noteAt('2026-03-13T23:03Z')]);
  });

  it('has a new release logged soon', async () => {
    await publishRecords(books.db, '25021', 3);
    await server.watch.look();
    const jobs = await books.db.query(`select from graphile_worker.jobs where task_identifier = 'sign-checkpoint'`);
    expect(jobs).toHaveLength(1);
    await server.sign();
    expect((await leaves()).filter((text) => text.includes(' 25021 3 '))).toHaveLength(1);
  });
});

describe('a new origin', () => {
  it('begins with a leaf that names the old checkpoint and the reason, and every server follows', async () => {
    const idle = await serverOf([secret]);
    await idle.watch.look();
    const old = await readTrusted(await server.sign());
    await idle.watch.look();
    // A restore that lost the newest two checkpoints.
    const kept = '(select size from log_checkpoint order by size desc offset 2 limit 1)';
    await breakBooks(books.db, `delete from log_leaves where first_index >= ${kept}; delete from log_checkpoint where size > ${kept}`);
    await expect(server.sign()).rejects.toThrow('is kept in DATA_DIR');
    await books.db.moveClock('1 second');
    const note = await beginNewOrigin(
      pool,
      { dataDir: server.dataDir, baseUrl },
      [secret],
      readReason('restored the\nbackup of Monday'),
      null,
    );
    const [origin, time] = await leaves();
    expect(origin).toBe(`origin ${old.origin} ${old.size} ${Buffer.from(old.root).toString('base64')} restored the backup of Monday`);
    expect(time).toMatch(/^time /);
    expect((await readTrusted(note)).origin).not.toBe(old.origin);
    expect((await leaves()).filter((text) => text.startsWith('balance '))).toHaveLength(
      (await books.db.query('select from credit_balance where entry_count > 0')).length,
    );
    await idle.watch.look();
    expect([await idle.kept.newest(), await idle.alarms.list()]).toEqual([note, []]);
    // And nobody goes back to the log before it.
    const newestOnly = (table: string) => `delete from ${table} where origin_id = (select max(id) from log_origin)`;
    const tables = ['log_leaves', 'log_node', 'log_checkpoint', 'log_origin'];
    const goBack = `${tables.slice(0, 3).map(newestOnly).join(';')}; delete from log_origin where id = (select max(id) from log_origin)`;
    await whileBroken(goBack, tables, () => expect(idle.sign()).rejects.toThrow('does not follow'));
    await expect(server.sign()).resolves.toMatch((await readTrusted(note)).origin);
  });

  it('is the only way forward if the log is gone and no server kept a checkpoint of it', async () => {
    const lost = await serverOf([secret]);
    await pool.query(`insert into database_home (database_oid, begun_at) select 0, min(at) - interval '1 second' from ledger_entry`);
    const tables = ['log_origin', 'log_leaves', 'log_node', 'log_checkpoint', 'log_place'];
    await whileBroken(tables.map((table) => `delete from ${table}`).join(';'), tables, async () => {
      await expect(lost.sign()).rejects.toThrow('the database has entries, but no log of them');
      await beginNewOrigin(pool, { dataDir: lost.dataDir, baseUrl }, [secret], readReason('it was deleted'), null);
      expect((await leaves())[0]).toBe('origin unknown 0 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU= it was deleted');
    });
  });
});
