import { type ParsedCronItem, parseCronItems } from 'graphile-worker';
import type { Task } from './task.js';

interface Schedule {
  task: string;
  /** Minute, hour, day of the month, month, day of the week; in UTC. */
  when: string;
  /** Made up for by the next start, if no server was there at the time. */
  isMadeUpFor?: boolean;
}

/** What is done when. */
export const crontab: Schedule[] = [
  { task: 'prune-releases', when: '7 * * * *' },
  { task: 'prune-accounts', when: '17 * * * *' },
  { task: 'prune-uploads', when: '27 * * * *' },
  { task: 'prune-jobs', when: '37 2 * * *', isMadeUpFor: true },
  { task: 'forget-webhook-payloads', when: '47 2 * * *', isMadeUpFor: true },
  { task: 'audit', when: '17 3 * * *', isMadeUpFor: true },
];

const dayMs = 24 * 60 * 60 * 1000;
const maxAttempts = 5;

/** The schedule of the tasks that this server has. However many servers have a task, each of its times comes once. */
export function cronItemsOf(tasks: Task[]): ParsedCronItem[] {
  return parseCronItems(
    tasks.flatMap(({ name }) => {
      // What a server does for its own disk has the disk's id behind a colon.
      const schedule = crontab.find(({ task }) => task === name.split(':')[0]);
      if (!schedule) return [];
      const options = {
        backfillPeriod: schedule.isMadeUpFor ? dayMs : 0,
        maxAttempts,
        // One at a time, and never two that wait.
        queueName: name,
        jobKey: name,
      };
      return [{ task: name, match: schedule.when, identifier: name, options }];
    }),
  );
}
