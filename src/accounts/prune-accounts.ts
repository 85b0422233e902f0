import type { DataSource } from 'typeorm';
import type { Task } from '../jobs/task.js';
import type { AccountStore } from './operators/account.store.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'prune-accounts': object;
    }
  }
}

const outdated = [
  // better-auth deletes only those that a request happens to read.
  'auth.session where "expiresAt" < now()',
  'auth.verification where "expiresAt" < now()',
  'auth.mailed_link where expires_at < service_now()',
  "auth.known_source where seen_at < service_now() - interval '1 year'",
  // What the last of them gave within 30 days, it may have given 30 days after it was taken.
  "auth.trial_taken where taken_at < service_now() - interval '60 days'",
  // The longest limit that is counted there lasts a day.
  "auth.rate_limit_event where at < service_now() - interval '25 hours'",
];

// Signed up a month ago with an address that may be a stranger's, and nothing of it is in use.
const neverVerified = `
  select u.id from auth."user" u
   where not u."emailVerified" and u."deletedAt" is null and not u.banned and u.role = 'user'
     and u."createdAt" < service_now() - interval '30 days'
     and not exists (select from auth.session s where s."userId" = u.id and s."expiresAt" > now())
     and not exists (
       select from credit_balance b left join api_token t on t.balance_id = b.id and t.revoked_at is null
        where b.account_id = u.id and (b.plan = 'paid' or (t.id is not null and b.ends_at > service_now())))
   limit 200`;

export const pruneAccounts = (dataSource: DataSource, accounts: AccountStore): Task<'prune-accounts'> => ({
  name: 'prune-accounts',
  timeLimitSeconds: 60,
  run: async () => {
    for (const rows of outdated) await dataSource.query(`delete from ${rows}`);
    for (const { id } of await dataSource.query<{ id: string }[]>(neverVerified)) await accounts.close(id);
  },
});
