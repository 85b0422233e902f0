import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { Gauge, Registry } from 'prom-client';
import { roundGauges } from '../../audit/audit-round.js';
import { lastSeenAudit } from '../../audit/audit-run.store.js';
import { named } from '../../core/metrics.js';
import { waitingCounts } from './waiting-counts.js';

// The database is queried at most once in this time.
const maxAgeMs = 5_000;

const itemsUnderWay = `from overage_item where state = 'trying'`;

/** Each gauge with its help and its value in SQL, which may be null. */
const gauges: [name: string, help: string, sql: string][] = [
  ['overage_items_under_way', 'Overage items for which it is unknown whether Stripe has them.', `select count(*) ${itemsUnderWay}`],
  [
    'overage_item_oldest_seconds',
    'Age of the oldest one of them.',
    `select coalesce(extract(epoch from service_now() - min(opened_at)), 0) ${itemsUnderWay}`,
  ],
  [
    'billing_differences',
    'Differences between the ledger and Stripe that no operator has acknowledged.',
    `select ${waitingCounts.billingDifferences}`,
  ],
  [
    'comparison_oldest_seconds',
    "Age of the oldest comparison of a customer's bills with Stripe.",
    'select extract(epoch from service_now() - min(compared_at)) from billing_customer where stripe_customer_id is not null',
  ],
  ['checkpoint_alarms', 'Alarms of the log of checkpoints: nothing is signed while there are any.', 'select count(*) from alarm'],
  [
    'checkpoint_age_seconds',
    'Time since the newest checkpoint was signed.',
    'select extract(epoch from service_now() - max(signed_at)) from log_checkpoint',
  ],
  ['jobs_given_up', 'Jobs without attempts left, which an operator retries or drops.', `select ${waitingCounts.failedJobs}`],
  ['webhooks_failed', 'Events of Stripe whose handling failed.', `select ${waitingCounts.failedWebhookEvents}`],
  [
    'backup_age_seconds',
    'Time since the newest backup by the command; NaN without any.',
    `select extract(epoch from service_now() - max(at)) from admin_action where action = 'back up database'`,
  ],
  ['releases_held', 'Releases that wait for an operator.', `select count(*) from parcel_release where state = 'held'`],
  [
    'mails_unsent',
    'Mails that the mail server has not taken, or that are kept since there is none.',
    `select ${waitingCounts.keptMails} + ${waitingCounts.failingMails}`,
  ],
  [
    'overage_open_dollars',
    'Overage of the periods under way, at the prices of its plans.',
    `select coalesce(sum(overage_records::bigint * overage_unit_cents), 0) / 100 from credit_balance where is_metered and overage_records > 0`,
  ],
];

const auditGauges: [name: string, help: string][] = [
  ['audit_held', 'Whether the last audit of this DATA_DIR found no broken invariant: 1 or 0; NaN after two days.'],
  ['audit_age_seconds', 'Time since the last audit of this DATA_DIR ended.'],
  ['audit_round_share', 'How much of what is old the nightly audits of this DATA_DIR have checked in their present round: 0 to 1.'],
  ['audit_round_age_seconds', 'Time since that round began: it takes 28 days.'],
];

const heldForSeconds = 2 * 24 * 60 * 60;

/** Reads the last audit that this server saw itself: a row of `audit_run` may be made by hand. */
async function seenAudit(dataDir: string): Promise<Record<string, number | null>> {
  const seen = await lastSeenAudit(dataDir);
  const age = seen && (Date.now() - seen.atMs) / 1000;
  const held = seen && age! < heldForSeconds ? Number(seen.held) : null;
  return { audit_age_seconds: age, audit_held: held, ...(await roundGauges(dataDir)) };
}

/** Gauges whose values are in the database, read by one statement when the metrics are collected. */
export function serviceGauges(pool: Pool, dataDir: string): Registry {
  const registry = new Registry();
  const text = `select ${gauges.map(([name, , sql]) => `(${sql})::float as ${name}`).join(', ')}`;
  const values = new LRUCache<'all', Record<string, number | null>>({
    max: 1,
    ttl: maxAgeMs,
    fetchMethod: async () => ({ ...(await pool.query(text)).rows[0], ...(await seenAudit(dataDir)) }),
  });
  for (const [name, help] of [...gauges, ...auditGauges]) {
    new Gauge({
      name: named(name),
      help,
      registers: [registry],
      // All workers read the same value, so their sum would be wrong.
      aggregator: 'first',
      // NaN while the database is down, so that the other metrics can still be collected.
      async collect() {
        const known = await values.fetch('all').catch(() => null);
        this.set(known?.[name] ?? Number.NaN);
      },
    });
  }
  return registry;
}
