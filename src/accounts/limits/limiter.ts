import type { Pool } from 'pg';
import { AppError } from '../../core/errors.js';

/** At most `max` events under this key within any `withinSeconds` seconds. */
export interface Limit {
  key: string;
  max: number;
  withinSeconds: number;
}

/** What may begin now, where there are 0 seconds to wait. */
interface Begun {
  keys: string[];
  wait: number;
  events: string[];
}

/** Counts events in the database, by its clock, so that several servers hold one limit together. */
export class Limiter {
  constructor(private readonly pool: Pool) {}

  /** Seconds until one more event is within all of these limits; 0: it is now. */
  async retryAfterSeconds(limits: Limit[]): Promise<number> {
    const { rows } = await this.pool.query<{ wait: number }>(
      `select coalesce(max(auth.retry_after(l.key, l.max_count, l.within)), 0) as wait
         from unnest($1::text[], $2::integer[], $3::integer[]) as l (key, max_count, within)`,
      [limits.map(({ key }) => key), limits.map(({ max }) => max), limits.map(({ withinSeconds }) => withinSeconds)],
    );
    return rows[0]!.wait;
  }

  /** Counts what begins under all of these keys if it is within all of these limits, exactly also for many at once. */
  async tryBegin(keys: string[], limits: Limit[]): Promise<Begun> {
    const { rows } = await this.pool.query<{ wait: number; events: string[] | null }>('select * from auth.try_begin($1, $2, $3, $4)', [
      keys,
      limits.map(({ key }) => key),
      limits.map(({ max }) => max),
      limits.map(({ withinSeconds }) => withinSeconds),
    ]);
    return { keys, wait: rows[0]!.wait, events: rows[0]!.events ?? [] };
  }

  /**
   * Does what has begun.
   * @param staying the keys under which it stays counted once it has ended; where it throws, none
   */
  async end<T>({ keys, events }: Begun, work: () => Promise<T>, staying: (result: T) => string[]): Promise<T> {
    let kept: string[] = [];
    try {
      const result = await work();
      kept = staying(result);
      return result;
    } finally {
      const others = keys.filter((key) => !kept.includes(key));
      await this.pool.query('delete from auth.rate_limit_event where id = any($1::bigint[]) and key = any($2)', [events, others]);
    }
  }

  /** Counts an event if it is within the limit, exactly also for many at once. Returns 0 then, else the seconds to wait. */
  async tryConsume({ key, max, withinSeconds }: Limit): Promise<number> {
    const { rows } = await this.pool.query<{ wait: number }>(`select auth.try_consume($1, $2, $3) as wait`, [key, max, withinSeconds]);
    return rows[0]!.wait;
  }

  /** Deletes events that are older than the longest limit. */
  async prune(): Promise<void> {
    await this.pool.query(`delete from auth.rate_limit_event where at < service_now() - interval '25 hours'`);
  }
}

/** @throws AppError `too_many_requests` unless there are 0 seconds to wait */
export function refuseIfLimited(seconds: number, message?: string): void {
  if (seconds > 0) throw tooManyRequests(seconds, message);
}

export function tooManyRequests(seconds: number, message = `Too many attempts. Try again in ${waitInWords(seconds)}.`): AppError {
  return new AppError('too_many_requests', message, { retryAfterSeconds: Math.ceil(seconds) });
}

/** No less than it takes, in the unit that people reckon with: some limits hold for a day. */
function waitInWords(seconds: number): string {
  const [unit, unitSeconds] = seconds < 120 ? ['second', 1] : seconds < 7200 ? ['minute', 60] : ['hour', 3600];
  const count = Math.ceil(seconds / (unitSeconds as number));
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
