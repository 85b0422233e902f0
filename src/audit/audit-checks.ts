import { reportChecks } from '../billing/report-checks.js';
import { ledgerChecks } from './ledger-checks.js';
import { releaseChecks } from './release-checks.js';
import { tokenChecks } from './token-checks.js';

/** All that the audit checks. */
export const auditChecks = [...ledgerChecks, ...tokenChecks, ...reportChecks, ...releaseChecks];
