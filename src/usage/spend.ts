import type { Pool } from 'pg';
import { AppError } from '../errors.js';
import type { PlanName } from './plans.js';
import { type Rejection, rejected } from './rejection.js';

/** Which records somebody wants to read, and who. */
export interface SpendRequest {
  tokenHash: Buffer;
  /** Flat triples: release id, first ordinal, count. What is granted is the head of it. */
  segments: number[];
  countyFips: string | null;
  requestId: string;
  idempotencyKey: string | null;
  /** Tells one request from another under the same key. */
  requestHash: Buffer | null;
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

interface SpendRow {
  decision: 'granted' | 'replayed' | 'key_reused' | Rejection;
  plan: PlanName;
  id: string;
  records: number;
  segments: number[];
  balance_after: number;
  overage_after: number;
  overage_unit_cents: number;
}

interface Waiting {
  request: SpendRequest;
  resolve(spent: Spent): void;
  reject(error: unknown): void;
}

const batchSize = 64;
const maxWaiting = 1_000;

/**
 * Moves credits. One statement is one transaction: it finds the token, locks its balance, decides, and writes the entry.
 *
 * Requests of one token go one statement at a time, and those that come meanwhile go together in the next: a hot token
 * takes one connection instead of all of them, and pays one commit for many reads.
 */
export class Spender {
  private readonly waiting = new Map<string, Waiting[]>();

  constructor(private readonly pool: Pool) {}

  /**
   * @throws AppError invalid, revoked, expired, exhausted; idempotency_key_reused; unavailable when the token has too many
   *   requests waiting. Nothing is charged then.
   */
  spend(request: SpendRequest): Promise<Spent> {
    return new Promise((resolve, reject) => {
      const key = request.tokenHash.toString('base64');
      const queue = this.waiting.get(key);
      if (!queue) {
        this.waiting.set(key, []);
        void this.run(key, [{ request, resolve, reject }]);
      } else if (queue.length < maxWaiting) {
        queue.push({ request, resolve, reject });
      } else {
        reject(
          new AppError('unavailable', 'Too many requests of this token are waiting. Try again in a moment.', { retryAfterSeconds: 1 }),
        );
      }
    });
  }

  private async run(key: string, first: Waiting[]): Promise<void> {
    for (let batch = first; batch.length > 0; batch = this.waiting.get(key)!.splice(0, batchSize)) await this.flush(batch);
    this.waiting.delete(key);
  }

  private async flush(batch: Waiting[]): Promise<void> {
    try {
      const rows = await this.query(batch.map(({ request }) => request));
      batch.forEach(({ resolve, reject }, index) => {
        try {
          resolve(toSpent(rows[index]!));
        } catch (error) {
          reject(error);
        }
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  private async query(requests: SpendRequest[]): Promise<SpendRow[]> {
    const { rows } = await this.pool.query<SpendRow>({
      name: 'spend',
      text: `
        select s.decision, s.plan, (s.entry).id, (s.entry).records, (s.entry).segments,
               (s.entry).balance_after, (s.entry).overage_after, s.overage_unit_cents
          from unnest($1::bytea[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bytea[]) with ordinality
               as r (token_hash, segments, county_fips, request_id, idempotency_key, request_hash, position)
         cross join lateral spend(r.token_hash, r.segments::integer[], r.county_fips, r.request_id, r.idempotency_key, r.request_hash) s
         order by r.position`,
      values: [
        requests.map((request) => request.tokenHash),
        requests.map((request) => `{${request.segments.join(',')}}`),
        requests.map((request) => request.countyFips),
        requests.map((request) => request.requestId),
        requests.map((request) => request.idempotencyKey),
        requests.map((request) => request.requestHash),
      ],
    });
    return rows;
  }
}

function toSpent(row: SpendRow): Spent {
  switch (row.decision) {
    case 'granted':
    case 'replayed':
      return {
        isReplay: row.decision === 'replayed',
        plan: row.plan,
        entryId: row.id,
        records: row.records,
        segments: row.segments,
        creditsRemaining: row.balance_after,
        overageRecords: row.overage_after,
        overageUnitCents: row.overage_unit_cents,
      };
    case 'key_reused':
      throw new AppError('idempotency_key_reused', 'This Idempotency-Key was used for a request with other parameters. Use a new key.');
    default:
      throw rejected(row.decision);
  }
}
