import type { Pool } from 'pg';
import { Gauge, Registry } from 'prom-client';

interface ServiceState {
  waitingReports: number;
  failedReports: number;
  oldestReportSeconds: number;
  /** Null: none was run yet. */
  auditHeld: boolean | null;
  auditAgeSeconds: number | null;
}

// The database is asked once in this time, however often the metrics are collected.
const maxAgeMs = 5_000;

/** Gauges whose values are in the database, read when the metrics are collected. */
export function serviceGauges(pool: Pool): Registry {
  const registry = new Registry();
  const state = cached(() => readState(pool));
  const gauge = (name: string, help: string, value: (state: ServiceState) => number | null) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      // Workers all read the same: their sum would say nothing.
      aggregator: 'first',
      // NaN while the database is away, so that the other metrics can still be collected.
      async collect() {
        const known = await state().catch(() => null);
        this.set((known && value(known)) ?? Number.NaN);
      },
    });
  gauge('overage_reports_waiting', 'Overage reports that wait to be sent.', ({ waitingReports }) => waitingReports);
  gauge('overage_reports_failed', 'Overage reports that need a decision.', ({ failedReports }) => failedReports);
  gauge('overage_report_oldest_seconds', 'Age of the oldest one that waits.', ({ oldestReportSeconds }) => oldestReportSeconds);
  gauge('audit_held', 'Whether the last audit found the books whole: 1 or 0.', ({ auditHeld }) =>
    auditHeld === null ? null : Number(auditHeld),
  );
  gauge('audit_age_seconds', 'Time since the last audit began.', ({ auditAgeSeconds }) => auditAgeSeconds);
  return registry;
}

async function readState(pool: Pool): Promise<ServiceState> {
  const { rows } = await pool.query<ServiceState>(
    `select waiting.reports::float as "waitingReports",
            (select coalesce(sum(entries), 0) from meter_event where state = 'failed')::float as "failedReports",
            coalesce(extract(epoch from service_now() - waiting.since), 0)::float as "oldestReportSeconds",
            not jsonb_path_exists(a.findings, '$[*].firstBreak ? (@ != null)') as "auditHeld",
            extract(epoch from service_now() - a.ran_at)::float as "auditAgeSeconds"
       from (select sum(reports) as reports, min(since) as since
               from (select count(*) as reports, min(at) as since from overage_report where meter_event is null
                     union all
                     select coalesce(sum(entries), 0), min(opened_at) from meter_event where state = 'waiting') both_places) waiting
       left join (select ran_at, findings from audit_run order by id desc limit 1) a on true`,
  );
  return rows[0]!;
}

function cached<T>(look: () => Promise<T>): () => Promise<T> {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let found: Promise<T>;
  return () => {
    const now = performance.now();
    if (now - lookedAt > maxAgeMs) {
      lookedAt = now;
      found = look();
    }
    return found;
  };
}
