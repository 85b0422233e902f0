import { setTimeout as pause } from 'node:timers/promises';
import pRetry from 'p-retry';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { claimBatchSize, reversals, sweeps } from '../core/metrics.js';
import { plainArray } from '../database/statement-runner.js';
import { BatchGate } from './batch-gate.js';

/** A granted read that has not reached its caller yet. */
export interface UndeliveredRead {
  balanceId: string;
  requestId: string;
  entryId: string;
}

interface Waiting {
  read: UndeliveredRead;
  resolve(isOurs: boolean): void;
  reject(error: unknown): void;
}

const maxBatch = 128;
const reason = 'not delivered';
// Longer than a page's query may take. A read that waits longer, in a flood or behind other answers of its connection, is reversed, and
// `confirmDelivery` then refuses it.
const abandonedAfter = '10 seconds';
const sweptAtOnce = 50;
// As long as a server may take to stop (`stopMs` in server/workers.ts): if Postgres comes back meanwhile, the pending reversals still arrive.
const pendingReversalsMs = 7_000;
// In addition to a statement's time limit, which the caller may have waited for already. Postgres restarts in about a second.
const answerWaitsMs = 1_500;
// Far beyond the time limit of a statement.
const longestSpendMs = 60_000;
// Two minutes, and one more attempt within the pool's time limits (5 s): ends before `taken_back_within` silently refuses it.
const reversalRetries = { retries: 120, maxRetryTime: 120_000, minTimeout: 100, factor: 1.5, maxTimeout: 1_000, unref: true };

/**
 * Decides between the commit of a read and its first byte whether it is delivered or reversed: the statement that deletes its row of
 * `undelivered_read` wins. So a server that died, or seemed dead, leaves neither a charge without records nor records without a charge.
 */
export class Deliveries {
  private waiting: Waiting[] = [];
  readonly gate = new BatchGate(maxBatch, () => this.start());
  private readonly pendingReversals = new Set<Promise<unknown>>();

  constructor(
    private readonly pool: Pool,
    private readonly log: Logger,
  ) {}

  /**
   * Confirms right before its first byte that a read is delivered. Reads that arrive together share one statement.
   * @returns false if it was reversed meanwhile or its entry was lost: then it must not be delivered
   */
  confirmDelivery(read: UndeliveredRead): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ read, resolve, reject });
      this.gate.startNext();
    });
  }

  /**
   * Reverses a read that this server has not delivered and will not, if it exists and nobody has its records. Resolves when done, so that
   * the caller is told "nothing is charged" only once that is true: if this server and Postgres died before, no sweep would find the read.
   * If the database is away for longer, resolves after 1.5 s and goes on trying in the background.
   * @param read without `entryId` if the entry's id never arrived: the entry is then searched by the request
   */
  async reverse(
    { balanceId, requestId, entryId }: Omit<UndeliveredRead, 'entryId'> & { entryId: string | null },
    when: 'before claim' | 'after claim',
  ): Promise<void> {
    const knownSinceMs = performance.now();
    const attempt = async () => {
      const spentWithinMs = performance.now() - knownSinceMs + longestSpendMs;
      const { rows } = await this.pool.query<{ id: string | null }>(
        'select reverse_spent($1, $2, $3, make_interval(secs => $4), $5) as id',
        [balanceId, requestId, entryId, spentWithinMs / 1000, reason],
      );
      if (rows[0]!.id) reversals.inc({ reason: when });
    };
    const reversal = pRetry(attempt, reversalRetries)
      .catch((error: Error) => this.log.error({ requestId, error }, 'could not reverse an undelivered read: reverse it by hand'))
      .finally(() => this.pendingReversals.delete(reversal));
    this.pendingReversals.add(reversal);
    await Promise.race([reversal, pause(answerWaitsMs, undefined, { ref: false })]);
  }

  /** Resolves when no reversal is pending, or after 7 s. Pending reversals are lost with the process. */
  async finishReversals(): Promise<void> {
    await Promise.race([Promise.allSettled(this.pendingReversals), pause(pendingReversalsMs, undefined, { ref: false })]);
  }

  /**
   * Reverses reads of any server that were not delivered in time.
   * @returns whether there may be more
   */
  async sweep(): Promise<boolean> {
    const { rows } = await this.pool.query<{ count: number }>('select reverse_abandoned($1::interval, $2) as count', [
      abandonedAfter,
      sweptAtOnce,
    ]);
    const { count } = rows[0]!;
    sweeps.inc();
    reversals.inc({ reason: 'swept' }, count);
    if (count > 0) this.log.warn({ reads: count }, 'reversed reads that were not delivered');
    return count === sweptAtOnce;
  }

  private start(): void {
    while (this.waiting.length > 0 && this.gate.isOpen(this.waiting.length)) {
      const batch = this.waiting.splice(0, maxBatch);
      claimBatchSize.observe(batch.length);
      void this.run(batch);
    }
  }

  private async run(batch: Waiting[]): Promise<void> {
    try {
      const unpaid = await this.gate.pass(this.confirmAll(batch.map(({ read }) => read)));
      await this.gate.startFollower(batch.length);
      for (const { read, resolve } of batch) resolve(!unpaid.has(read.entryId));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  /** @returns the entries that must not be delivered */
  private async confirmAll(reads: UndeliveredRead[]): Promise<Set<string>> {
    return this.unpaidAmong(await this.takeRows(reads));
  }

  /** Deletes the reads' rows. @returns the reads whose row was gone already */
  private async takeRows(reads: UndeliveredRead[]): Promise<UndeliveredRead[]> {
    const { rows } = await this.pool.query<{ claimed: string[] | null }>({
      name: 'claim_undelivered',
      text: 'select claim_undelivered($1, $2) as claimed',
      values: [plainArray(reads.map(({ balanceId }) => balanceId)), plainArray(reads.map(({ requestId }) => requestId))],
    });
    const { claimed } = rows[0]!;
    return claimed ? reads.filter(({ requestId }) => !claimed.includes(requestId)) : [];
  }

  // A row is gone if the read was swept, was replayed under its key, or the row was lost in a crash of Postgres. Delivery is forbidden only
  // if the read was swept, or its entry is gone, too: a standby took over that had not received it, so nothing is charged.
  // A separate statement, to see what was committed while the first one waited.
  private async unpaidAmong(reads: UndeliveredRead[]): Promise<Set<string>> {
    if (reads.length === 0) return new Set();
    const { rows } = await this.pool.query<{ entryId: string }>(
      `select r.entry_id as "entryId" from unnest($1::uuid[], $2::uuid[]) as r (balance_id, entry_id)
        where exists (select from ledger_entry l where l.balance_id = r.balance_id and l.reverses = r.entry_id)
           or not exists (
             select from ledger_entry l
              where l.balance_id = r.balance_id and l.sequence = entry_sequence(r.entry_id) and l.id = r.entry_id
           )`,
      [reads.map(({ balanceId }) => balanceId), reads.map(({ entryId }) => entryId)],
    );
    return new Set(rows.map(({ entryId }) => entryId));
  }
}
