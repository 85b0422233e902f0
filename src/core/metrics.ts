import type { Pool } from 'pg';
import { Counter, Gauge, Histogram } from 'prom-client';
import { packageVersion } from './project-files.js';

// Business metrics for Prometheus. Counting takes about 0.15 µs, so it is always on.
// No label contains an id: each label value is a series, which is kept until the process ends.

/** A metric's name: all but Node's own begin alike. */
export const named = (name: string): string => `parcel_records_${name}`;

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const batch = [1, 2, 4, 8, 16, 32, 64, 128];

export const spendDecisions = new Counter({
  name: named('spend_decisions_total'),
  help: 'Requests to read, by outcome: granted, replayed, key_reused, stale, busy, too_many_requests, invalid, revoked, expired, exhausted.',
  labelNames: ['decision'] as const,
});

export const spendBatchSize = new Histogram({ name: named('spend_batch_size'), help: 'Requests that shared a statement.', buckets: batch });

export const spendWaitSeconds = new Histogram({
  name: named('spend_wait_seconds'),
  help: 'How long a request waited for its spend statement.',
  buckets: seconds,
});

export const claimBatchSize = new Histogram({
  name: named('claim_batch_size'),
  help: 'Reads whose delivery was confirmed together.',
  buckets: batch,
});

export const reversals = new Counter({
  name: named('reversals_total'),
  help: 'Reads that were reversed: before their delivery was confirmed, after it, or by the sweep.',
  labelNames: ['reason'] as const,
});

export const sweeps = new Counter({ name: named('sweeps_total'), help: 'Searches for undelivered reads.' });

export const pageReads = new Counter({
  name: named('page_reads_total'),
  help: 'Pages of records, by where they were read from: memory or database.',
  labelNames: ['from'] as const,
});

export const pageWaitSeconds = new Histogram({
  name: named('page_wait_seconds'),
  help: 'How long a page that is not in memory waited in the queue for the database.',
  buckets: seconds,
});

export const webhookEvents = new Counter({
  name: named('webhook_events_total'),
  help: 'Webhook deliveries by Stripe: handled, ignored, stored, repeated, failed, refused.',
  labelNames: ['outcome'] as const,
});

export const jobRuns = new Counter({
  name: named('jobs_total'),
  help: 'Job attempts by task: done or failed.',
  labelNames: ['task', 'outcome'] as const,
});

export const countyLoads = new Counter({
  name: named('county_loads_total'),
  help: 'Loads started in the console that this server ran: published, held, refused for their files, or failed.',
  labelNames: ['outcome'] as const,
});

export const checkpointRefusals = new Counter({
  name: named('checkpoint_refusals_total'),
  help: 'Times that this server found the log of checkpoints broken: nothing is signed then.',
});

export const unlistedRequests = new Counter({
  name: named('requests_unlisted_total'),
  help: "Customers' calls that are counted but not listed: beyond an account's daily cap, no room in memory, or a failed write.",
  labelNames: ['reason'] as const,
});

const pools = new Map<string, Pool>();

/** Adds a pool to the metric `parcel_records_database_pool`. Among pools with the same name the latest is measured. */
export function watchPool(name: string, pool: Pool): void {
  pools.set(name, pool);
}

new Gauge({
  name: named('database_pool'),
  help: 'Database connections by pool: total, idle, and requests waiting for one.',
  labelNames: ['pool', 'state'] as const,
  collect() {
    for (const [pool, { totalCount, idleCount, waitingCount }] of pools) {
      this.set({ pool, state: 'total' }, totalCount);
      this.set({ pool, state: 'idle' }, idleCount);
      this.set({ pool, state: 'waiting' }, waitingCount);
    }
  },
});

new Gauge({
  name: named('version_info'),
  help: 'The version of the package and of Node that the server runs, as labels; the value is 1.',
  labelNames: ['version', 'node'] as const,
  aggregator: 'first',
  collect() {
    this.set({ version: packageVersion, node: process.versions.node }, 1);
  },
});
