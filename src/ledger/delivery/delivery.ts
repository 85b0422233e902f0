import { setTimeout as pause } from 'node:timers/promises';
import pRetry from 'p-retry';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { claimBatchSize, reversals, sweeps } from '../../core/metrics.js';
import { plainArray } from '../../database/plain-array.js';
import { BatchGate } from '../spending/batch-gate.js';

/** A read that was granted, and has not reached its caller yet. */
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
// Longer than the query of a page may take. A read that waits longer still, for the turn of its page in a flood or for that of its answer on
// its connection, is taken back, and refused by its claim.
const abandonedAfter = '10 seconds';
const sweptAtOnce = 50;
// As long as a server that stops may take (stop.ts): a Postgres that comes back meanwhile hears of what was charged for nothing.
const settleMs = 7_000;
// Beside the time limit of a statement, which its caller may have waited for already. Postgres is back from a crash in about a second.
const answerWaitsMs = 1_500;
// Far beyond the time limit of a statement.
const longestSpendMs = 60_000;
// Two minutes, and one attempt more within the pool's time limits (5 s): over before `taken_back_within` refuses it, silently.
const takingBackRetries = { retries: 120, maxRetryTime: 120_000, minTimeout: 100, factor: 1.5, maxTimeout: 1_000, unref: true };

/**
 * Between the commit of a read and its first byte: whoever deletes its row of `undelivered_read` decides whether it is delivered
 * or taken back. So a server that died, or was taken for dead, never leaves a charge without records, nor records without a charge.
 */
export class Deliveries {
  private waiting: Waiting[] = [];
  readonly gate = new BatchGate(maxBatch, () => this.start());
  private readonly takingBack = new Set<Promise<unknown>>();

  constructor(
    private readonly pool: Pool,
    private readonly log: Logger,
  ) {}

  /**
   * Claims a read for its caller, right before its first byte. Those that come together go in one statement.
   * @returns false when it was taken back meanwhile, or its charge got lost: then it must not be delivered
   */
  claim(read: UndeliveredRead): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ read, resolve, reject });
      this.gate.startNext();
    });
  }

  /**
   * Takes back the read of a request that this server has not delivered and will not, if there is one and nobody has it. Resolves when
   * that is done, so that its caller hears that nothing is charged once nothing is: if this server dies before, and Postgres with it, no
   * sweep finds the read. A database that is away for longer must not keep the answer: then it is tried on behind it.
   * @param read without an entry where it never arrived: it is then looked for by the request
   */
  async takeBack(
    { balanceId, requestId, entryId }: Omit<UndeliveredRead, 'entryId'> & { entryId: string | null },
    when: 'before claim' | 'after claim',
  ): Promise<void> {
    const knownSinceMs = performance.now();
    const reverse = async () => {
      const spentWithinMs = performance.now() - knownSinceMs + longestSpendMs;
      const { rows } = await this.pool.query<{ id: string | null }>(
        'select reverse_spent($1, $2, $3, make_interval(secs => $4), $5) as id',
        [balanceId, requestId, entryId, spentWithinMs / 1000, reason],
      );
      if (rows[0]!.id) reversals.inc({ reason: when });
    };
    const takingBack = pRetry(reverse, takingBackRetries)
      .catch((error: Error) => this.log.error({ requestId, error }, 'could not take back an undelivered read: reverse it by hand'))
      .finally(() => this.takingBack.delete(takingBack));
    this.takingBack.add(takingBack);
    await Promise.race([takingBack, pause(answerWaitsMs, undefined, { ref: false })]);
  }

  /** Resolves when nothing waits to be taken back, or after a while: nobody would know of it after this process. */
  async settle(): Promise<void> {
    await Promise.race([Promise.allSettled(this.takingBack), pause(settleMs, undefined, { ref: false })]);
  }

  /**
   * Takes back what nobody delivered in time, whichever server it was of.
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
    if (count > 0) this.log.warn({ reads: count }, 'took back reads that nobody had delivered');
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
      const unpaid = await this.gate.pass(this.claimAll(batch.map(({ read }) => read)));
      await this.gate.startFollower(batch.length);
      for (const { read, resolve } of batch) resolve(!unpaid.has(read.entryId));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  /** @returns the entries of those that must not be delivered */
  private async claimAll(reads: UndeliveredRead[]): Promise<Set<string>> {
    return this.unpaidAmong(await this.unclaimed(reads));
  }

  /** Claims reads. @returns those whose row is gone */
  private async unclaimed(reads: UndeliveredRead[]): Promise<UndeliveredRead[]> {
    const { rows } = await this.pool.query<{ claimed: string[] | null }>({
      name: 'claim_undelivered',
      text: 'select claim_undelivered($1, $2) as claimed',
      values: [plainArray(reads.map(({ balanceId }) => balanceId)), plainArray(reads.map(({ requestId }) => requestId))],
    });
    const { claimed } = rows[0]!;
    return claimed ? reads.filter(({ requestId }) => !claimed.includes(requestId)) : [];
  }

  // A row that is gone: swept, or delivered again under its key, or lost with a crash of Postgres. Only the first forbids delivery, and an
  // entry that is gone with it: a standby took over that had not heard of it, so nothing is charged.
  // A statement of its own, to see what was committed while the one before waited.
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
