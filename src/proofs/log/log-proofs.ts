import { isUUID as isUuid } from 'class-validator';
import type { Pool } from 'pg';
import { AppError } from '../../core/errors.js';
import { inclusionRanges } from '../verifier/verify-ledger.js';
import { LogStore } from './log.store.js';

/** Proofs from the log, as files that a stranger's tools read. */
export class LogProofs {
  private readonly log: LogStore;

  constructor(private readonly pool: Pool) {
    this.log = new LogStore(pool);
  }

  async newestSignedAt(): Promise<Date | null> {
    return (await this.log.newestCheckpoint())?.signedAt ?? null;
  }

  /**
   * A tlog-proof of a balance's newest leaf; null: the next checkpoint has its first.
   * @param accountId the owner; null: any account
   * @throws AppError not_found, the same for every balance that the account does not have
   */
  async ofBalance(balanceId: string, accountId: string | null): Promise<string | null> {
    const { rowCount } = await this.pool.query('select from credit_balance where id = $1 and ($2::text is null or account_id = $2)', [
      isUuid(balanceId) ? balanceId : null,
      accountId,
    ]);
    if (!rowCount) throw new AppError('not_found', 'There is no such balance in this account.');
    return this.of(`balance ${balanceId.toLowerCase()}`);
  }

  /** A tlog-proof of a release's leaf; null: the next checkpoint has it. */
  ofRelease(releaseId: number): Promise<string | null> {
    return this.of(`release ${releaseId}`);
  }

  private async of(subject: string): Promise<string | null> {
    const checkpoint = await this.log.newestCheckpoint();
    if (!checkpoint) return null;
    const { originId, size, note } = checkpoint;
    const index = await this.log.place(originId, subject);
    // A server may append and sign between the two statements.
    if (index === null || index >= size) return null;
    const leaf = await this.log.leaf(originId, index);
    return proofFile(leaf!, index, await this.log.hashesOf(originId, size, inclusionRanges(index, { start: 0, end: size })), note);
  }
}

/** C2SP's tlog-proof. Its `extra` line has the leaf, so the file proves something by itself. */
export const proofFile = (leaf: string, index: number, hashes: Buffer[], checkpoint: string): string =>
  [
    'c2sp.org/tlog-proof@v1',
    `extra ${Buffer.from(leaf).toString('base64')}`,
    `index ${index}`,
    ...hashes.map((hash) => hash.toString('base64')),
    '',
    checkpoint,
  ].join('\n');
