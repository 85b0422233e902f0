import { overageChecks } from '../billing/overage/overage-checks.js';
import type { BooksCheck } from '../ledger/books-check.js';
import { sumsCheck } from '../usage/sums-check.js';
import { entriesCheck } from './entries/entries-check.js';
import { ledgerChecks } from './ledger-checks.js';
import { releaseChecks } from './release-checks.js';
import { termsChecks } from './terms-checks.js';
import { tokenChecks } from './token-checks.js';

/** All checks of the audit. */
export const auditChecks: BooksCheck[] = [
  entriesCheck(),
  ...ledgerChecks,
  ...tokenChecks,
  ...termsChecks,
  ...overageChecks,
  sumsCheck,
  ...releaseChecks,
];
