import type { Pool } from 'pg';
import { authSecretsOf } from '../../src/accounts/auth-secret.js';
import { audit } from '../../src/audit/audit.js';
import { checkpointChecks } from '../../src/audit/checkpoint/checkpoint-checks.js';
import { ask } from '../../src/database/long-reads.js';
import { KeptCheckpoints } from '../../src/proofs/log/kept-checkpoints.js';
import { keysOf } from '../../src/proofs/log/log-room.js';
import { CheckpointSigner } from '../../src/proofs/log/sign-checkpoint.js';
import type { Bench } from './bench.js';
import { cpuSeconds } from './cpu.js';
import { type Figure, grouped, type Row } from './figures.js';
import { withoutLimits } from './filled-ledger.js';

const balances = 1_000_000;
const changed = 50_000;

export const proofs: Row = {
  name: 'proofs',
  title: `checkpoints of ${grouped(balances)} balances, and the audit against one`,
  measure: async (bench) => {
    const { pool } = bench.database;
    await makeBalances(pool);
    const signer = signerOf(bench);
    const seconds = async () => {
      const startedAt = performance.now();
      await signer.sign();
      return (performance.now() - startedAt) / 1000;
    };
    const first = await seconds();
    const unchanged = await seconds();
    await pool.query(appendOneEach);
    const afterSome = await seconds();
    const { checked, cpu } = await auditedAgainstCheckpoint(bench);
    return [
      { name: 'first checkpoint, with all balances', value: first * 1000, unit: 'ms', aim: { atMost: 60_000 } },
      { name: `next one, after ${grouped(changed)} balances changed`, value: afterSome * 1000, unit: 'ms', aim: { atMost: 15_000 } },
      { name: 'next one, after none changed', value: unchanged * 1000, unit: 'ms', aim: { atMost: 10_000 } },
      { name: 'audit --checkpoint: CPU more, a million entries', value: (cpu * 1e9) / checked, unit: 'ms', aim: { atMost: 12_000 } },
    ] satisfies Figure[];
  },
};

/** As the service signs, which runs on the same database in other rows. */
export const signerOf = ({ database, dataDir }: Bench): CheckpointSigner => {
  const keys = keysOf(authSecretsOf({ dataDir }));
  return new CheckpointSigner(database.pool, keys, new KeptCheckpoints(dataDir), 'localhost');
};

/** The checks that a checkpoint adds. */
export async function auditedAgainstCheckpoint({ database, dataDir, postgresPid }: Bench): Promise<{ checked: number; cpu: number }> {
  const note = (await new KeptCheckpoints(dataDir).oldest())!;
  return costOfAudit({ database, postgresPid }, checkpointChecks({ note, vkeys: null }));
}

/** Seconds of CPU with Postgres' part in them. */
export async function costOfAudit(
  { database, postgresPid }: Pick<Bench, 'database' | 'postgresPid'>,
  ...what: Parameters<typeof audit> extends [unknown, ...infer Rest] ? Rest : never
): Promise<{ checked: number; cpu: number }> {
  // Postgres is a child of this process, and not to be counted twice.
  const cpu = () => (process.cpuUsage().user + process.cpuUsage().system) / 1e6 + cpuSeconds(postgresPid);
  const before = cpu();
  const findings = await audit(database.pool, ...what);
  const broken = findings.find(({ firstBreak }) => firstBreak);
  if (broken) throw new Error(`${broken.invariant}: ${broken.firstBreak}`);
  return { checked: findings[1]!.checked, cpu: cpu() - before };
}

/** Each with a grant, as the service's own functions make one, but all in a few statements. */
const makeBalances = (pool: Pool): Promise<void> =>
  withoutLimits(pool, async (db) => {
    for (let i = 0; i < 10; i++) {
      await ask(db, 'begin; create temporary table made (b credit_balance) on commit drop');
      await ask(db, insertBalances, [balances / 10]);
      await ask(
        db,
        `update credit_balance c set remaining = (b).remaining, entry_count = (b).entry_count, last_entry_at = (b).last_entry_at,
                chain_head = (b).chain_head
           from made where c.id = (b).id`,
      );
      await db.query('commit');
    }
    await ask(db, 'vacuum analyze credit_balance, ledger_entry');
  });

const insertBalances = `
  with opened as (
    insert into credit_balance (account_id, plan, grant_records, period_anchor, period_start, period_end)
    select 'bench', 'paid', 1000, n.at, n.at, n.at + interval '1 month'
      from (select service_now() as at) n, generate_series(1, $1::integer)
    returning *
  ), entry as materialized (
    select next_entry(opened::credit_balance, jsonb_populate_record(null::ledger_entry, '{"kind": "grant", "credits": 1000}')) as n from opened
  ), written as (
    insert into ledger_entry select ((n).e).* from entry
  )
  insert into made select (n).b from entry`;

const appendOneEach = `
  do $$ declare b credit_balance; e ledger_entry; begin
    for b in select * from credit_balance where account_id = 'bench' and entry_count = 1 limit ${changed} for update loop
      e := null;
      e.kind := 'adjustment'; e.credits := -1; e.reason := 'bench'; e.actor := 'bench';
      perform append_entry(b, e);
    end loop;
  end $$`;
