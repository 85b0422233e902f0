import { isUUID as isUuid } from 'class-validator';
import type { Pool } from 'pg';
import { AppError } from '../../core/errors.js';
import { invalidRequest } from '../../core/parameters.js';
import { LogStore, type StoredCheckpoint } from './log.store.js';
import { consistencyRanges, inclusionRanges } from './tree.js';

/** Proofs from the log, as files that a stranger's tools read. */
export class LogProofs {
  private readonly log: LogStore;

  constructor(private readonly pool: Pool) {
    this.log = new LogStore(pool);
  }

  /** The newest checkpoint; null: none was signed yet. */
  async newestCheckpoint(): Promise<string | null> {
    return (await this.log.newestCheckpoint())?.note ?? null;
  }

  async newestSignedAt(): Promise<Date | null> {
    return (await this.log.newestCheckpoint())?.signedAt ?? null;
  }

  /**
   * The hashes that prove that the newest tree, at size `to`, begins with the one of size `from`, in base64.
   * @throws AppError invalid_request
   */
  async consistency(from: number, to: number): Promise<string[]> {
    const newest = await this.log.newestCheckpoint();
    const size = newest?.size ?? 0;
    if (from > to || to > size) {
      throw invalidRequest([{ parameter: 'to', message: `must be from ${from} to ${size}, the size of the newest checkpoint` }]);
    }
    return inBase64(await this.log.hashesOf(newest?.originId ?? 0, consistencyRanges(from, to)));
  }

  /**
   * A tlog-proof of a balance's newest leaf; null: the next checkpoint has its first.
   * @param accountId the owner; null: any account
   * @throws AppError not_found, the same for every balance that the account does not have
   */
  async ofBalance(balanceId: string, accountId: string | null): Promise<string | null> {
    const { rows } = await this.pool.query<{ leaf_index: string | null }>(
      `select l.leaf_index from credit_balance b left join logged_balance l on l.balance_id = b.id
        where b.id = $1 and ($2::text is null or b.account_id = $2)`,
      [isUuid(balanceId) ? balanceId : null, accountId],
    );
    if (!rows[0]) throw new AppError('not_found', 'There is no such balance in this account.');
    return rows[0].leaf_index === null ? null : this.ofLeaf(Number(rows[0].leaf_index));
  }

  /** A tlog-proof of a release's leaf; null: the next checkpoint has it. */
  async ofRelease(releaseId: number): Promise<string | null> {
    const { rows } = await this.pool.query<{ leaf_index: string }>(
      `select leaf_index from logged_release where release_id = $1 and origin_id = (select max(id) from log_origin)`,
      [releaseId],
    );
    return rows[0] ? this.ofLeaf(Number(rows[0].leaf_index)) : null;
  }

  private async ofLeaf(index: number): Promise<string> {
    const checkpoint = (await this.log.newestCheckpoint())!;
    const [leaf, hashes] = await Promise.all([
      this.log.leaf(checkpoint.originId, index),
      this.log.hashesOf(checkpoint.originId, inclusionRanges(index, { start: 0, end: checkpoint.size })),
    ]);
    return proofFile(leaf!, index, hashes, checkpoint);
  }
}

export const inBase64 = (hashes: Buffer[]): string[] => hashes.map((hash) => hash.toString('base64'));

/** C2SP's tlog-proof. Its `extra` line has the leaf, so the file proves something by itself. */
const proofFile = (leaf: string, index: number, hashes: Buffer[], { note }: StoredCheckpoint): string =>
  ['c2sp.org/tlog-proof@v1', `extra ${Buffer.from(leaf).toString('base64')}`, `index ${index}`, ...inBase64(hashes), '', note].join('\n');
