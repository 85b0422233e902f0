import Sequencer from '@jest/test-sequencer';

// By what they took of the processor and the clock. In a clean clone Jest knows sizes of files only, and would begin some of these last:
// those of pages are short and take long, and those that wait for other processes, too.
const longest = [
  'server/start',
  'graphql/loads',
  'console/operator',
  'console/accessibility',
  'loader/load',
  'console/customer',
  'billing/life',
  'billing/situations',
  'billing/order',
  'console/guides',
  'rest/delivery',
  'server/drain',
  'server/workers',
  'jobs/jobs',
  'database/backup',
  'server/upgrade',
  'rest/auth-limits',
  'rest/auth-mail',
  'rest/auth',
  'rest/parcels',
  'console/resilience',
  'console/lists',
  'console/programs',
  'console/billing',
  'console/mailed-links',
  'billing/checkout',
  'console/session',
  'loader/memory',
];

/** Begins with what takes longest, so that no worker is alone at the end. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const place = ({ path }) => longest.findIndex((name) => path.endsWith(`/test/${name}.test.ts`)) + 1 || longest.length + 1;
    return super.sort(tests).toSorted((one, other) => place(one) - place(other));
  }
}
