import type { Pool } from 'pg';
import { Gauge, Registry } from 'prom-client';
import { named } from '../../core/metrics.js';
import { waitingCounts } from './waiting-counts.js';

interface ServiceState {
  itemsUnderWay: number;
  oldestItemSeconds: number;
  billingDifferences: number;
  /** Null before the first audit. */
  auditPassed: boolean | null;
  auditAgeSeconds: number | null;
  checkpointAlarms: number;
  checkpointAgeSeconds: number | null;
  failedJobs: number;
  failedWebhookEvents: number;
  heldReleases: number;
  unsentMails: number;
  openOverageCents: number;
}

// The database is queried at most once in this time.
const maxAgeMs = 5_000;

/** Gauges whose values are in the database, read when the metrics are collected. */
export function serviceGauges(pool: Pool): Registry {
  const registry = new Registry();
  const state = cached(() => readState(pool));
  const gauge = (name: string, help: string, value: (state: ServiceState) => number | null) =>
    new Gauge({
      name: named(name),
      help,
      registers: [registry],
      // All workers read the same value, so their sum would be wrong.
      aggregator: 'first',
      // NaN while the database is down, so that the other metrics can still be collected.
      async collect() {
        const known = await state().catch(() => null);
        this.set((known && value(known)) ?? Number.NaN);
      },
    });
  gauge('overage_items_under_way', 'Overage items for which it is unknown whether Stripe has them.', ({ itemsUnderWay }) => itemsUnderWay);
  gauge('overage_item_oldest_seconds', 'Age of the oldest one of them.', ({ oldestItemSeconds }) => oldestItemSeconds);
  gauge(
    'billing_differences',
    'Differences between the ledger and Stripe that no operator has acknowledged.',
    ({ billingDifferences }) => billingDifferences,
  );
  gauge('audit_held', 'Whether the last audit found no broken invariant: 1 or 0.', ({ auditPassed }) =>
    auditPassed === null ? null : Number(auditPassed),
  );
  gauge('audit_age_seconds', 'Time since the last audit began.', ({ auditAgeSeconds }) => auditAgeSeconds);
  gauge('checkpoint_alarms', 'Alarms of the log of checkpoints: nothing is signed while there are any.', (known) => known.checkpointAlarms);
  gauge('checkpoint_age_seconds', 'Time since the newest checkpoint was signed.', (known) => known.checkpointAgeSeconds);
  gauge('jobs_given_up', 'Jobs without attempts left, which an operator retries or drops.', ({ failedJobs }) => failedJobs);
  gauge('webhooks_failed', 'Events of Stripe whose handling failed.', ({ failedWebhookEvents }) => failedWebhookEvents);
  gauge('releases_held', 'Releases that wait for an operator.', ({ heldReleases }) => heldReleases);
  gauge(
    'mails_unsent',
    'Mails that the mail server has not taken, or that are kept since there is none.',
    ({ unsentMails }) => unsentMails,
  );
  gauge('overage_open_dollars', 'Overage of the periods under way, at the prices of its plans.', (known) => known.openOverageCents / 100);
  return registry;
}

async function readState(pool: Pool): Promise<ServiceState> {
  const { rows } = await pool.query<ServiceState>(
    `select items.count::float as "itemsUnderWay",
            coalesce(extract(epoch from service_now() - items.since), 0)::float as "oldestItemSeconds",
            ${waitingCounts.billingDifferences}::float as "billingDifferences",
            not jsonb_path_exists(a.findings, '$[*].firstBreak ? (@ != null)') as "auditPassed",
            extract(epoch from service_now() - a.ran_at)::float as "auditAgeSeconds",
            (select count(*) from log_alarm)::float as "checkpointAlarms",
            (select extract(epoch from service_now() - max(signed_at)) from log_checkpoint)::float as "checkpointAgeSeconds",
            ${waitingCounts.jobs}::float as "failedJobs",
            ${waitingCounts.webhookEvents}::float as "failedWebhookEvents",
            (select count(*) from parcel_release where state = 'held')::float as "heldReleases",
            ${waitingCounts.keptMails}::float
              + ${waitingCounts.failingMails}::float as "unsentMails",
            (select coalesce(sum(overage_records::bigint * overage_unit_cents), 0) from credit_balance
              where is_metered and overage_records > 0)::float as "openOverageCents"
       from (select count(*) as count, min(opened_at) as since from overage_item where state = 'trying') items
       left join (select ran_at, findings from audit_run order by id desc limit 1) a on true`,
  );
  return rows[0]!;
}

function cached<T>(read: () => Promise<T>): () => Promise<T> {
  let readAt = Number.NEGATIVE_INFINITY;
  let value: Promise<T>;
  return () => {
    const now = performance.now();
    if (now - readAt > maxAgeMs) {
      readAt = now;
      value = read();
    }
    return value;
  };
}
