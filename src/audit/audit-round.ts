import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientBase } from 'pg';
import type { AuditStep, BooksCheck } from '../ledger/books-check.js';

const roundDays = 28;
const dayMs = 24 * 60 * 60 * 1000;

/** How far the round of a check has come. */
interface Progress {
  beganAtMs: number;
  share: number;
  from?: string;
}

const fileOf = (dataDir: string): string => join(dataDir, 'audit-round.json');

/** By the first invariant of the check. */
const roundsIn = async (dataDir: string): Promise<Record<string, Progress>> =>
  readFile(fileOf(dataDir), 'utf8').then(JSON.parse, () => ({}));

/**
 * Checks what is old, as far as it is due by now: all of it in a round of 28 days. A step that is done stays done if the process dies, and one
 * that found a break is done again until it is mended. Kept in DATA_DIR, where nobody who has only the database can put a round forward.
 */
export async function* nextOfRound(db: ClientBase, dataDir: string, check: BooksCheck): AsyncIterable<AuditStep> {
  const [name] = check.invariants as [string];
  const rounds = await roundsIn(dataDir);
  const save = async (progress: Progress) => {
    await writeFile(`${fileOf(dataDir)}.part`, JSON.stringify({ ...rounds, [name]: progress }));
    await rename(`${fileOf(dataDir)}.part`, fileOf(dataDir));
  };
  const { beganAtMs, from } = rounds[name] ?? { beganAtMs: Date.now() };
  const due = ((Date.now() - beganAtMs) / dayMs + 1) / roundDays;
  let isWell = true;
  for await (const step of check.run(db, null, from)) {
    isWell &&= step.firstBreak === null;
    if (isWell && step.place) await save({ beganAtMs, share: step.share, from: step.place });
    yield step;
    if (step.place && (!isWell || step.share >= due)) return;
  }
  if (isWell) await save({ beganAtMs: Date.now(), share: 0 });
}

/** Gauges of the round that is behind the others; none before the first night. */
export async function roundGauges(dataDir: string): Promise<Record<string, number>> {
  const rounds = Object.values(await roundsIn(dataDir));
  if (rounds.length === 0) return {};
  const beganAtMs = Math.min(...rounds.map((round) => round.beganAtMs));
  return { audit_round_share: Math.min(...rounds.map(({ share }) => share)), audit_round_age_seconds: (Date.now() - beganAtMs) / 1000 };
}
