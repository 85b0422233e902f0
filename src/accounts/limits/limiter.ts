import type { Pool } from 'pg';
import { AppError } from '../../core/errors.js';
import type { Limit } from './limits.js';

/** The result of `tryBegin`. The attempt may proceed if `wait` is 0. */
interface Attempt {
  keys: string[];
  wait: number;
  events: string[];
}

/** Counts events in the database, by its clock, so that several servers share each limit. */
export class Limiter {
  constructor(private readonly pool: Pool) {}

  /** Seconds until one more event is within all limits; 0 if it is now. */
  async retryAfterSeconds(limits: Limit[]): Promise<number> {
    const { rows } = await this.pool.query<{ wait: number }>(
      `select coalesce(max(auth.retry_after(l.key, l.max_count, l.within)), 0) as wait
         from unnest($1::text[], $2::integer[], $3::integer[]) as l (key, max_count, within)`,
      columnsOf(limits),
    );
    return rows[0]!.wait;
  }

  /** Counts an attempt under all keys if it is within all limits. Exact under concurrency. */
  async tryBegin(keys: string[], limits: Limit[]): Promise<Attempt> {
    const { rows } = await this.pool.query<{ wait: number; events: string[] | null }>('select * from auth.try_begin($1, $2, $3, $4)', [
      keys,
      ...columnsOf(limits),
    ]);
    return { keys, wait: rows[0]!.wait, events: rows[0]!.events ?? [] };
  }

  /**
   * Runs the work of an attempt, then removes it from the counts except under the keys that `keysToKeep` returns. If the work throws, it is
   * removed from all.
   */
  async end<T>({ keys, events }: Attempt, work: () => Promise<T>, keysToKeep: (result: T) => string[]): Promise<T> {
    let kept: string[] = [];
    try {
      const result = await work();
      kept = keysToKeep(result);
      return result;
    } finally {
      const others = keys.filter((key) => !kept.includes(key));
      await this.pool.query(
        `delete from auth.rate_limit_event where id = any($1::bigint[]) and key in (
           select unnest(array[key, auth.network_key(key)]) from unnest($2::text[]) as k (key))`,
        [events, others],
      );
    }
  }

  /** Counts an event if it is within the limit. Exact under concurrency. Returns 0 if counted, otherwise the seconds to wait. */
  async tryConsume(limit: Limit): Promise<number> {
    return (await this.tryBegin([limit.key], [limit])).wait;
  }
}

const columnsOf = (limits: Limit[]) => [
  limits.map(({ key }) => key),
  limits.map(({ max }) => max),
  limits.map(({ withinSeconds }) => withinSeconds),
];

/** @throws AppError `too_many_requests` unless there are 0 seconds to wait */
export function refuseIfLimited(seconds: number): void {
  if (seconds > 0) throw tooManyRequests(seconds);
}

export function tooManyRequests(seconds: number, message = `Too many attempts. Try again in ${waitInWords(seconds)}.`): AppError {
  return new AppError('too_many_requests', message, { retryAfterSeconds: Math.ceil(seconds) });
}

/** Rounded up, in seconds, minutes or hours: some limits last a day. */
function waitInWords(seconds: number): string {
  const [unit, unitSeconds] = seconds < 120 ? ['second', 1] : seconds < 7200 ? ['minute', 60] : ['hour', 3600];
  const count = Math.ceil(seconds / (unitSeconds as number));
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
