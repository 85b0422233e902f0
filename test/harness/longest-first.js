import Sequencer from '@jest/test-sequencer';

// In seconds on two quiet cores, 107 to 25. In a clean clone Jest knows sizes of files only, and would begin some of these last.
const longest = [
  'start',
  'console/accessibility',
  'console/customer',
  'rest/auth-limits',
  'billing-order',
  'console/operator',
  'drain',
  'billing-life',
  'loader/load',
  'rest/auth-mail',
  'graphql/loads',
  'billing-checkout',
  'jobs',
  'torture',
  'console/mailed-links',
  'loader/memory',
  'workers',
];

/** Begins with what takes longest, so that no worker is alone at the end. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const place = ({ path }) => longest.findIndex((name) => path.endsWith(`/test/${name}.test.ts`)) + 1 || longest.length + 1;
    return super.sort(tests).toSorted((one, other) => place(one) - place(other));
  }
}
