/** How many of each wait for an operator, as SQL: the dashboard and the metrics say the same. */
export const waitingCounts = {
  jobs: `(select count(*) from graphile_worker.jobs where attempts >= max_attempts and locked_at is null)`,
  failingMails: `(select count(*) from graphile_worker.jobs where task_identifier = 'send-mail' and attempts > 0)`,
  webhookEvents: `(select count(*) from stripe_event where state = 'failed')`,
  billingDifferences: `(
    select count(*) from billing_difference d
     where not exists (select from admin_action a where a.action = 'acknowledge billing difference' and a.target = d.id)
  )`,
};
