import type { Pool } from 'pg';
import { Counter, Gauge, Histogram } from 'prom-client';

// Business metrics for Prometheus. Counting takes some 0.15 µs, so it is done whether or not anybody collects the metrics.
// No label holds an id: each value of a label is a series of its own, which is kept until the process ends.

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const batch = [1, 2, 4, 8, 16, 32, 64, 128];

export const spendDecisions = new Counter({
  name: 'spend_decisions_total',
  help: 'Requests to read, by outcome: granted, replayed, key_reused, stale, busy, invalid, revoked, expired, exhausted.',
  labelNames: ['decision'] as const,
});

export const spendBatchSize = new Histogram({ name: 'spend_batch_size', help: 'Requests that shared a statement.', buckets: batch });

export const spendWaitSeconds = new Histogram({
  name: 'spend_wait_seconds',
  help: 'How long a request waited for the statement that spent for it.',
  buckets: seconds,
});

export const claimBatchSize = new Histogram({ name: 'claim_batch_size', help: 'Reads that were claimed together.', buckets: batch });

export const reversals = new Counter({
  name: 'reversals_total',
  help: 'Reads that were reversed: before their delivery was claimed, after it, or by the sweep.',
  labelNames: ['reason'] as const,
});

export const sweeps = new Counter({ name: 'sweeps_total', help: 'Searches for reads that nobody had delivered.' });

export const pageReads = new Counter({
  name: 'page_reads_total',
  help: 'Pages of records, by where they were read from: memory or database.',
  labelNames: ['from'] as const,
});

export const pageWaitSeconds = new Histogram({
  name: 'page_wait_seconds',
  help: 'How long a page that is not in memory waited for its turn to be read.',
  buckets: seconds,
});

export const webhookEvents = new Counter({
  name: 'webhook_events_total',
  help: 'Deliveries by the payment processor: handled, ignored, stored, repeated, failed, refused.',
  labelNames: ['outcome'] as const,
});

export const jobRuns = new Counter({
  name: 'jobs_total',
  help: 'Attempts of jobs, by task: done, or failed.',
  labelNames: ['task', 'outcome'] as const,
});

export const countyLoads = new Counter({
  name: 'county_loads_total',
  help: 'Loads that operators started in the console and this server ran: published, refused for their files, or failed.',
  labelNames: ['outcome'] as const,
});

const pools = new Map<string, Pool>();

/** Adds a pool to the metric `database_pool`. Of several pools with one name the latest is measured. */
export function watchPool(name: string, pool: Pool): void {
  pools.set(name, pool);
}

new Gauge({
  name: 'database_pool',
  help: 'Database connections by pool: total, idle; and who waits for one.',
  labelNames: ['pool', 'state'] as const,
  collect() {
    for (const [pool, { totalCount, idleCount, waitingCount }] of pools) {
      this.set({ pool, state: 'total' }, totalCount);
      this.set({ pool, state: 'idle' }, idleCount);
      this.set({ pool, state: 'waiting' }, waitingCount);
    }
  },
});
