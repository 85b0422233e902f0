import pLimit from 'p-limit';
import { DatabaseError, type Pool, type PoolClient } from 'pg';
import { AppError, isUnreachableDatabase } from '../core/errors.js';
import { spendBatchSize, spendDecisions, spendWaitSeconds } from '../core/metrics.js';
import { plainArray } from '../database/statement-runner.js';
import { BatchGate } from './batch-gate.js';
import { FairQueue } from './fair-queue.js';
import type { PlanName } from './plans.js';
import { type Rejection, rejected } from './rejection.js';
import type { TokenIdentity } from './token-lookup.js';

/** Which records a token wants to read. */
export interface SpendRequest {
  token: TokenIdentity;
  /** The version of coverage that the segments were found with. */
  coverageVersion: string;
  /** Flat triples: release id, first ordinal, count. A prefix of the records may be granted. */
  segments: number[];
  countyFips: string | null;
  requestId: string;
  idempotencyKey: string | null;
  /** Distinguishes requests under the same key. */
  requestHash: Buffer | null;
  isCallerGone(): boolean;
}

/** The granted records, and the ledger entry that paid for them. */
export interface Spent {
  /** Whether the same key bought these records before, so that nothing more is charged. */
  isReplay: boolean;
  plan: PlanName;
  entryId: string;
  /** The entry's hash in hexadecimal digits: the caller's receipt. */
  ledgerHash: string;
  records: number;
  segments: number[];
  creditsRemaining: number;
  overageRecords: number;
  overageUnitCents: number;
  /** Below the customer's cap; null: there is none. */
  overageLeft: number | null;
}

/** Coverage has changed since the page was found: find it again. Nothing is charged. */
export class StaleCoverage extends Error {}

interface SpendRow {
  decision: 'granted' | 'replayed' | 'key_reused' | 'stale' | 'busy' | 'too_many_requests' | 'again' | Rejection;
  plan: PlanName;
  /** Null for a replay of pruned records or of an expired key. */
  entry_id: string | null;
  /** With decision `too_many_requests`: the seconds to wait. With `exhausted`: the token's own cap, if that is why. */
  records: number | null;
  segments: number[];
  remaining: number;
  overage_records: number;
  overage_unit_cents: number;
  overage_left: number | null;
  entry_hash: Buffer | null;
}

interface Waiting {
  request: SpendRequest;
  sinceMs: number;
  resolve(spent: Spent): void;
  reject(error: unknown): void;
}

const maxBatch = 64;
const maxWaitingByAccount = 1_000;
// The time limit of one statement with its connection (database/limits.ts). With a working database nobody waits that long. With a hanging
// one, a thousand requests would otherwise fail in batches of sixty-four, the last after most of a minute.
const maxWaitMs = 5_000;
// Statements that wait for a balance locked by another server, an operator or the sweep have connections of their own.
const maxWaitingStatements = 4;

/**
 * Moves credits. Requests of all tokens that arrive while a statement runs share the next one; a single request never waits. Accounts take
 * turns in a batch, and an account is in one statement at a time. Each statement is one transaction. It locks its balances in the order
 * of their ids, so servers never deadlock, and skips a balance locked by another transaction: that one gets a statement of its own.
 */
export class Spender {
  private readonly queue = new FairQueue<Waiting>(spendWaitSeconds);
  /** The accounts of each running statement. One set for all would change with every read (see fair-queue.ts). */
  private readonly underWay = new Set<Set<string>>();
  private readonly inLane = pLimit(maxWaitingStatements);
  private readonly gate: BatchGate;

  /**
   * @param confirmations the gate of the delivery confirmations, which spends follow
   * @param reverseUnknown reverses a request whose spend may or may not have been committed. Its caller is answered afterwards
   */
  constructor(
    private readonly pool: Pool,
    confirmations: BatchGate,
    private readonly reverseUnknown: (request: SpendRequest) => Promise<void>,
  ) {
    this.gate = new BatchGate(maxBatch, (answers) => this.start(answers), confirmations);
  }

  /**
   * @throws AppError invalid, revoked, expired, exhausted; idempotency_key_reused; replay_expired; too_many_requests after too many free
   *   answers of the token; unavailable if the account has too many requests waiting, this one waited too long, or its caller has gone.
   *   StaleCoverage. Nothing is charged then.
   */
  spend(request: SpendRequest): Promise<Spent> {
    return new Promise((resolve, reject) => {
      const { accountId } = request.token;
      if (this.queue.countOf(accountId) >= maxWaitingByAccount) {
        const message = 'Too many requests from this account are waiting. Try again in a moment.';
        reject(new AppError('unavailable', message, { retryAfterSeconds: 1 }));
        return;
      }
      this.queue.push(accountId, { request, sinceMs: performance.now(), resolve, reject });
      this.gate.startSoon();
    });
  }

  /**
   * @param answers how many answers are about to be written. A batch takes at most half of all callers, so that two halves alternate: one
   *   is in Postgres while the other is answered. Larger batches would leave the server waiting for Postgres
   */
  private start(answers: number): void {
    const max = answers === 0 ? maxBatch : Math.min(maxBatch, Math.ceil((answers + this.queue.size) / 2));
    while (this.gate.isOpen(this.queue.size)) {
      const taken = this.queue.take(max, (accountId) => this.isUnderWay(accountId));
      if (taken.length === 0) return;
      const batch = taken.filter(isWanted);
      const accounts = new Set(batch.map(({ request }) => request.token.accountId));
      this.underWay.add(accounts);
      void this.gate.pass(this.run(batch).finally(() => this.underWay.delete(accounts)));
    }
  }

  private isUnderWay(accountId: string): boolean {
    for (const accounts of this.underWay) if (accounts.has(accountId)) return true;
    return false;
  }

  /** An account whose balance is busy stays under way until its own statement ends. */
  private async run(batch: Waiting[]): Promise<void> {
    if (batch.length === 0) return;
    spendBatchSize.observe(batch.length);
    const inLockOrder = batch.toSorted((one, other) => (one.request.token.balanceId < other.request.token.balanceId ? -1 : 1));
    const busy = await this.runStatement(inLockOrder, false);
    for (const accountId of new Set(busy.map(({ request }) => request.token.accountId))) {
      const alone = new Set([accountId]);
      this.underWay.add(alone);
      const own = busy.filter(({ request }) => request.token.accountId === accountId);
      void this.inLane(() => this.runStatement(own, true)).finally(() => {
        this.underWay.delete(alone);
        this.gate.startSoon();
      });
    }
  }

  /** Answers the batch, except requests whose balance is busy: it returns these. */
  private async runStatement(batch: Waiting[], waits: boolean): Promise<Waiting[]> {
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
      return this.recover(batch, waits, error);
    }
    const busy: Waiting[] = [];
    batch.forEach((waiting, index) => {
      const row = rows[index]!;
      spendDecisions.inc({ decision: row.decision });
      if (row.decision === 'busy' && !waits) busy.push(waiting);
      else if (row.decision === 'again') this.queue.push(waiting.request.token.accountId, waiting);
      else answer(waiting, row);
    });
    return busy;
  }

  /**
   * Retries a batch that Postgres rolled back one request at a time, so that one faulty request does not fail the others. A batch that timed
   * out is not retried: each request would take as long again.
   */
  private async recover(batch: Waiting[], waits: boolean, error: unknown): Promise<Waiting[]> {
    if (isRolledBack(error) && !isUnreachableDatabase(error) && batch.length > 1) {
      const busy: Waiting[] = [];
      for (const waiting of batch) busy.push(...(await this.runStatement([waiting], waits)));
      return busy;
    }
    for (const { request, reject } of batch) {
      if (isRolledBack(error)) reject(error);
      // Not awaited, so that others are not delayed.
      else void this.reverseUnknown(request).then(() => reject(error));
    }
    return [];
  }
}

/** @returns a row for each request, in their order */
async function query(client: PoolClient, requests: SpendRequest[], waits: boolean): Promise<SpendRow[]> {
  const { rows } = await client.query<SpendRow>({
    name: 'spend',
    text: `
      select decision, plan, entry_id, records, segments, remaining, overage_records, overage_unit_cents, overage_left, entry_hash
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

/** A request is not charged if its caller left while it waited, or if it waited too long. */
function isWanted({ request, sinceMs, reject }: Waiting): boolean {
  if (request.isCallerGone()) reject(new AppError('unavailable', 'The caller has gone.'));
  else if (performance.now() - sinceMs > maxWaitMs) {
    reject(new AppError('unavailable', 'The service is busy. Try again in a moment.', { retryAfterSeconds: 2 }));
  } else return true;
  return false;
}

function answer({ resolve, reject }: Waiting, row: SpendRow): void {
  const { decision, entry_id: entryId } = row;
  if (decision !== 'granted' && decision !== 'replayed') reject(refusalOf(row));
  else if (entryId === null) reject(replayExpired());
  else {
    resolve({
      isReplay: decision === 'replayed',
      plan: row.plan,
      entryId,
      ledgerHash: row.entry_hash!.toString('hex'),
      records: row.records!,
      segments: row.segments,
      creditsRemaining: row.remaining,
      overageRecords: row.overage_records,
      overageUnitCents: row.overage_unit_cents,
      overageLeft: row.overage_left,
    });
  }
}

export const replayExpired = () =>
  new AppError(
    'replay_expired',
    'This Idempotency-Key no longer repeats its read: 24 hours or 100 repeats are over, or its records are no longer kept. Use a new key to read again.',
  );

const tooManyFree =
  'This token had 120 answers within a minute that cost no credit (counties without records, or repeats of an Idempotency-Key). Try again after ' +
  'Retry-After seconds; reads that return new records are not limited. GET /api/counties?status=loaded lists the counties that have records.';

function refusalOf({ decision, plan, records, overage_unit_cents }: SpendRow): Error {
  if (decision === 'stale') return new StaleCoverage();
  if (decision === 'too_many_requests') return new AppError(decision, tooManyFree, { retryAfterSeconds: records! });
  if (decision === 'busy') return new AppError('unavailable', 'The balance of this token is busy. Try again.', { retryAfterSeconds: 1 });
  if (decision === 'key_reused') return keyReused();
  return rejected(decision as Rejection, plan, overage_unit_cents > 0, decision === 'exhausted' ? records : null);
}

export const keyReused = () =>
  new AppError('idempotency_key_reused', 'This Idempotency-Key was used for a request with other parameters. Use a new key.');

// 08: connection; 57P: shutdown; 53, 58, XX: out of memory, disk full, disk failure. The last three may come with a panic during a commit,
// which recovery may complete. With any other code, Postgres has rolled the statement back.
const unknownOutcome = /^(08|53|57P|58|XX)/;

/** Whether the statement certainly had no effect. A connection may break after the commit. */
const isRolledBack = (error: unknown): boolean => error instanceof DatabaseError && !unknownOutcome.test(error.code ?? '');
