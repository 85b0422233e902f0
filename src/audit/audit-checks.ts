import { overageChecks } from '../billing/overage/overage-checks.js';
import { ledgerChecks } from './ledger-checks.js';
import { releaseChecks } from './release-checks.js';
import { termsChecks } from './terms-checks.js';
import { tokenChecks } from './token-checks.js';

/** All checks of the audit. */
export const auditChecks = [...ledgerChecks, ...tokenChecks, ...termsChecks, ...overageChecks, ...releaseChecks];
