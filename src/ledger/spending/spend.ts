import pLimit from 'p-limit';
import { DatabaseError, type Pool, type PoolClient } from 'pg';
import { AppError, isUnreachableDatabase } from '../../core/errors.js';
import { spendBatchSize, spendDecisions, spendWaitSeconds } from '../../core/metrics.js';
import { plainArray } from '../../database/plain-array.js';
import type { PlanName } from '../plans.js';
import { BatchGate } from './batch-gate.js';
import { FairQueue } from './fair-queue.js';
import { type Rejection, rejected } from './rejection.js';
import type { TokenIdentity } from './token-lookup.js';

/** Which records somebody wants to read, and who. */
export interface SpendRequest {
  token: TokenIdentity;
  /** The version of coverage that the segments were found with. */
  coverageVersion: string;
  /** Flat triples: release id, first ordinal, count. What is granted is the head of it. */
  segments: number[];
  countyFips: string | null;
  requestId: string;
  idempotencyKey: string | null;
  /** Tells one request from another under the same key. */
  requestHash: Buffer | null;
  isCallerGone(): boolean;
}

/** What was granted: the ledger entry that paid for it. */
export interface Spent {
  /** Whether this is what the same key bought before, at no further charge. */
  isReplay: boolean;
  plan: PlanName;
  entryId: string;
  records: number;
  segments: number[];
  creditsRemaining: number;
  overageRecords: number;
  overageUnitCents: number;
}

/** Coverage has changed since the page was resolved: resolve it again. Nothing is charged. */
export class StaleCoverage extends Error {}

type Decision = 'granted' | 'replayed' | 'key_reused' | 'stale' | 'busy' | Rejection;

interface SpendRow {
  decision: Decision | 'again';
  plan: PlanName;
  /** Null for a replay of records that are no longer kept. */
  entry_id: string | null;
  records: number;
  segments: number[];
  remaining: number;
  overage_records: number;
  overage_unit_cents: number;
}

interface Waiting {
  request: SpendRequest;
  sinceMs: number;
  resolve(spent: Spent): void;
  reject(error: unknown): void;
}

const maxBatch = 64;
const maxWaitingByAccount = 1_000;
// As long as one statement may take, and the connection to it (database/limits.ts). Nobody waits for so long for a database that answers; one
// that hangs would else be heard of by sixty-four at a time, the last of a thousand after most of a minute.
const maxWaitMs = 5_000;
// Balances that another server, an operator or a sweep holds just now wait on connections of their own.
const maxWaitingStatements = 4;

/**
 * Moves credits. Requests that come while a statement is under way wait and go together in the next one, over all tokens; alone, a
 * request never waits. Accounts take turns in a batch, and an account is in one statement at a time. Each statement is one
 * transaction; it locks its balances in the order of their ids, so servers never wait for each other in a circle, and passes
 * over a balance that somebody else holds: that one waits by itself.
 */
export class Spender {
  private readonly queue = new FairQueue<Waiting>(spendWaitSeconds);
  /** The accounts of each statement under way; not one set for all, which would change with every read (see fair-queue.ts). */
  private readonly underWay = new Set<Set<string>>();
  private readonly inLane = pLimit(maxWaitingStatements);
  private readonly gate: BatchGate;

  /**
   * @param claims the gate of the claims, which spends follow
   * @param settleUnknown told of a request of which nobody knows whether its spend was committed. Its caller hears of it afterwards
   */
  constructor(
    private readonly pool: Pool,
    claims: BatchGate,
    private readonly settleUnknown: (request: SpendRequest) => Promise<void>,
  ) {
    this.gate = new BatchGate(maxBatch, (answers) => this.start(answers), claims);
  }

  /**
   * @throws AppError invalid, revoked, expired, exhausted; idempotency_key_reused; replay_expired; unavailable when the account has too many requests
   *   waiting, or this one has waited too long, or its caller has gone. Nothing is charged then. StaleCoverage.
   */
  spend(request: SpendRequest): Promise<Spent> {
    return new Promise((resolve, reject) => {
      const { accountId } = request.token;
      if (this.queue.countOf(accountId) >= maxWaitingByAccount) {
        const message = 'Too many requests of this account are waiting. Try again in a moment.';
        reject(new AppError('unavailable', message, { retryAfterSeconds: 1 }));
        return;
      }
      this.queue.push(accountId, { request, sinceMs: performance.now(), resolve, reject });
      this.gate.startSoon();
    });
  }

  /**
   * @param answers that are about to be written. What waits goes with half of all these callers at most, so that two halves alternate, one
   *   in Postgres while the other is answered. All would alternate with hardly any, and the server wait for Postgres again
   */
  private start(answers: number): void {
    const max = answers === 0 ? maxBatch : Math.min(maxBatch, Math.ceil((answers + this.queue.size) / 2));
    while (this.gate.isOpen(this.queue.size)) {
      const taken = this.queue.take(max, (accountId) => this.isUnderWay(accountId));
      if (taken.length === 0) return;
      const batch = taken.map(({ item }) => item).filter(isWanted);
      const accounts = new Set(batch.map(({ request }) => request.token.accountId));
      this.underWay.add(accounts);
      void this.gate.pass(this.run(batch).finally(() => this.underWay.delete(accounts)));
    }
  }

  private isUnderWay(accountId: string): boolean {
    for (const accounts of this.underWay) if (accounts.has(accountId)) return true;
    return false;
  }

  /** Accounts whose balance is busy stay under way until their own statement ends. */
  private async run(batch: Waiting[]): Promise<void> {
    if (batch.length === 0) return;
    spendBatchSize.observe(batch.length);
    const inLockOrder = batch.toSorted((one, other) => (one.request.token.balanceId < other.request.token.balanceId ? -1 : 1));
    const busy = await this.settle(inLockOrder, false);
    for (const accountId of new Set(busy.map(({ request }) => request.token.accountId))) {
      const alone = new Set([accountId]);
      this.underWay.add(alone);
      const own = busy.filter(({ request }) => request.token.accountId === accountId);
      void this.inLane(() => this.settle(own, true)).finally(() => {
        this.underWay.delete(alone);
        this.gate.startSoon();
      });
    }
  }

  /** Answers everybody in the batch but those whose balance is busy, and returns these. */
  private async settle(batch: Waiting[], waits: boolean): Promise<Waiting[]> {
    let client: PoolClient;
    try {
      client = await this.pool.connect();
    } catch (error) {
      for (const { reject } of batch) reject(error); // nothing was sent
      return [];
    }
    let rows: SpendRow[];
    try {
      rows = await query(
        client,
        batch.map(({ request }) => request),
        waits,
      );
      client.release();
    } catch (error) {
      client.release(error as Error);
      return this.settleFailed(batch, waits, error);
    }
    const busy: Waiting[] = [];
    batch.forEach((waiting, index) => {
      const row = rows[index]!;
      spendDecisions.inc({ decision: row.decision });
      const { decision } = row;
      if (decision === 'busy' && !waits) busy.push(waiting);
      else if (decision === 'again') this.queue.push(waiting.request.token.accountId, waiting);
      else answer(waiting, decision, row);
    });
    return busy;
  }

  /**
   * A statement that Postgres refused is rolled back: its requests go one by one, so that one's fault is not its neighbours'. What took too
   * long is nobody's fault, and would take each of them as long again.
   */
  private async settleFailed(batch: Waiting[], waits: boolean, error: unknown): Promise<Waiting[]> {
    if (isRolledBack(error) && !isUnreachableDatabase(error) && batch.length > 1) {
      const busy: Waiting[] = [];
      for (const waiting of batch) busy.push(...(await this.settle([waiting], waits)));
      return busy;
    }
    for (const { request, reject } of batch) {
      if (isRolledBack(error)) reject(error);
      // Not awaited: others need not wait for it.
      else void this.settleUnknown(request).then(() => reject(error));
    }
    return [];
  }
}

/** @returns a row for each request, in their order */
async function query(client: PoolClient, requests: SpendRequest[], waits: boolean): Promise<SpendRow[]> {
  const { rows } = await client.query<SpendRow>({
    name: 'spend',
    text: `
      select decision, plan, entry_id, records, segments, remaining, overage_records, overage_unit_cents
        from spend($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bytea[], $9)`,
    values: [
      plainArray(requests.map(({ token }) => token.balanceId)),
      plainArray(requests.map(({ token }) => token.tokenId)),
      plainArray(requests.map((request) => request.coverageVersion)),
      requests.map((request) => `{${request.segments.join(',')}}`),
      requests.map((request) => request.countyFips),
      plainArray(requests.map((request) => request.requestId)),
      requests.map((request) => request.idempotencyKey),
      requests.map((request) => request.requestHash),
      waits,
    ],
  });
  return rows;
}

/** Nobody is charged for a request that its caller gave up while it waited, or that waited too long; one under a key may be asked for again. */
function isWanted({ request, sinceMs, reject }: Waiting): boolean {
  if (request.isCallerGone()) reject(new AppError('unavailable', 'The caller has gone.'));
  else if (performance.now() - sinceMs > maxWaitMs) {
    reject(new AppError('unavailable', 'The service is busy. Try again in a moment.', { retryAfterSeconds: 2 }));
  } else return true;
  return false;
}

function answer({ resolve, reject }: Waiting, decision: Decision, row: SpendRow): void {
  const { entry_id: entryId } = row;
  if (decision !== 'granted' && decision !== 'replayed') reject(refusalOf(decision, row));
  else if (entryId === null) reject(replayExpired());
  else {
    resolve({
      isReplay: decision === 'replayed',
      plan: row.plan,
      entryId,
      records: row.records,
      segments: row.segments,
      creditsRemaining: row.remaining,
      overageRecords: row.overage_records,
      overageUnitCents: row.overage_unit_cents,
    });
  }
}

export const replayExpired = () =>
  new AppError('replay_expired', 'The records of this Idempotency-Key are no longer kept. Use a new key to read current ones.');

function refusalOf(decision: Exclude<Decision, 'granted' | 'replayed'>, { plan, overage_unit_cents }: SpendRow): Error {
  if (decision === 'stale') return new StaleCoverage();
  if (decision === 'busy') return new AppError('unavailable', 'The balance of this token is busy. Try again.', { retryAfterSeconds: 1 });
  if (decision !== 'key_reused') return rejected(decision, plan, overage_unit_cents > 0);
  return keyReused();
}

export const keyReused = () =>
  new AppError('idempotency_key_reused', 'This Idempotency-Key was used for a request with other parameters. Use a new key.');

// 08: connection, 57P: shutdown; 53, 58, XX: no memory, no room, a disk that fails, which also come with a panic in the middle of a commit,
// and recovery may find it whole. Whatever else a server said, it rolled the statement back before.
const unknownOutcome = /^(08|53|57P|58|XX)/;

/** Whether the statement had no effect for certain. A connection that broke may have done so after the commit. */
const isRolledBack = (error: unknown): boolean => error instanceof DatabaseError && !unknownOutcome.test(error.code ?? '');
