import type { BooksCheck } from '../../ledger/books-check.js';
import { logTreeCheck, type OutsideCheckpoint, type ProvenLog } from './log-tree-check.js';
import { loggedEntriesCheck } from './logged-entries-check.js';
import { loggedReleasesCheck } from './logged-releases-check.js';
import { takenBackCheck } from './taken-back-check.js';

/** What the audit finds with a checkpoint that nobody could change who could change the database. */
export function checkpointChecks(outside: OutsideCheckpoint): BooksCheck[] {
  let log: ProvenLog | null = null;
  const proven = () => log;
  const tree = logTreeCheck(outside, (found) => {
    log = found;
  });
  return [tree, loggedEntriesCheck(proven), takenBackCheck(proven), loggedReleasesCheck(proven)];
}
