/** How many of each wait for an operator, as SQL by the dashboard's field: the dashboard and the metrics say the same. */
export const waitingCounts = {
  // A scheduled job that is replaced while it runs is given up, and the one that has its key does its work.
  failedJobs: `(
    select count(*) from graphile_worker.jobs j
     where attempts >= max_attempts and locked_at is null
       and not exists (select from graphile_worker.jobs s where s.key = j.task_identifier and s.id > j.id and s.attempts < s.max_attempts)
  )`,
  // Without those that are given up, which are failed jobs.
  failingMails: `(
    select count(*) from graphile_worker.jobs where task_identifier = 'send-mail' and attempts between 1 and max_attempts - 1
  )`,
  /** Kept for a week, because there was no mail server. */
  keptMails: `(select count(*) from unsent_mail)`,
  // Servers renew the lock of a running job every 5 s. A load waits as long as the one before it takes.
  stuckJobs: `(
    select count(*) from graphile_worker.jobs j
     where attempts < max_attempts and coalesce(locked_at, run_at) < now() - interval '10 minutes'
       and not exists (select from graphile_worker.jobs r where r.queue_name = j.queue_name and r.locked_at > now() - interval '10 minutes')
  )`,
  unsettledOverageItems: `(select count(*) from overage_item where state = 'trying' and opened_at < service_now() - interval '1 hour')`,
  failedLoads: `(
    select count(*) from load_job failed
     where state = 'failed' and finished_at > service_now() - interval '7 days'
       and not exists (select from load_job later where later.id > failed.id and later.county_fips = failed.county_fips
                          and later.options ->> 'part' is not distinct from failed.options ->> 'part')
  )`,
  failedWebhookEvents: `(select count(*) from stripe_event where state = 'failed')`,
  billingDifferences: `(
    select count(*) from billing_difference d
     where not exists (select from admin_action a where a.action = 'acknowledge billing difference' and a.target = d.id)
  )`,
};
