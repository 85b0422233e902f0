import { type ParsedCronItem, parseCronItems } from 'graphile-worker';
import type { Task } from './task.js';

/**
 * When each task runs: minute, hour, day of the month, month and day of the week, in UTC; and whether a missed run is made up for at the
 * next start.
 */
export const crontab: { task: string; when: string; isMadeUpFor?: boolean }[] = [
  { task: 'sign-checkpoint', when: '3 * * * *' },
  { task: 'sum-usage', when: '*/5 * * * *' },
  { task: 'cut-parcel-tiles', when: '* * * * *' },
  { task: 'read-stripe-events', when: '* * * * *' },
  { task: 'find-overage', when: '* * * * *' },
  { task: 'prune-releases', when: '7 * * * *' },
  { task: 'prune-accounts', when: '17 * * * *' },
  { task: 'prune-uploads', when: '27 * * * *' },
  { task: 'prune-files', when: '28 * * * *' },
  { task: 'prune-jobs', when: '37 2 * * *', isMadeUpFor: true },
  { task: 'forget-webhook-payloads', when: '47 2 * * *', isMadeUpFor: true },
  { task: 'prune-requests', when: '57 12 * * *', isMadeUpFor: true },
  { task: 'audit', when: '17 3 * * *', isMadeUpFor: true },
  { task: 'refresh-counties', when: '17 4 * * *' },
];

const dayMs = 24 * 60 * 60 * 1000;
const maxAttempts = 5;

/** The schedule of this server's tasks. With several servers a task still runs once at each scheduled time. */
export function cronItemsOf(tasks: Task[]): ParsedCronItem[] {
  return parseCronItems(
    tasks.flatMap(({ name }) => {
      // The name of a task on a server's own disk ends with a colon and the id of its DATA_DIR.
      const schedule = crontab.find(({ task }) => task === name.split(':')[0]);
      if (!schedule) return [];
      const options = {
        backfillPeriod: schedule.isMadeUpFor ? dayMs : 0,
        maxAttempts,
        // One at a time, and at most one waiting.
        queueName: name,
        jobKey: name,
      };
      return [{ task: name, match: schedule.when, identifier: name, options }];
    }),
  );
}
