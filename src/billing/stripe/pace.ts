import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';

// Stripe takes 100 reads and 100 writes a second of an account. The rest is for the dashboard and other programs.
const callsPerSecond = 80;

/** Waits until the next call to Stripe may start. */
export type Pace = (kind: 'read' | 'write') => Promise<void>;

/** One pace for all servers on a database. While that is away, calls are not held up: Stripe refuses what is too much. */
export const sharedPace =
  (pool: Pool): Pace =>
  async (kind) => {
    const slot = pool.query<{ waitMs: number }>(
      `insert into stripe_pace as p (kind, next_at) values ($1, clock_timestamp())
       on conflict (kind) do update set next_at = greatest(p.next_at + make_interval(secs => $2), clock_timestamp())
       returning extract(epoch from next_at - clock_timestamp())::float * 1000 as "waitMs"`,
      [kind, 1 / callsPerSecond],
    );
    const { rows } = await slot.catch(() => ({ rows: [] }));
    for (const { waitMs } of rows) if (waitMs >= 1) await sleep(waitMs);
  };
