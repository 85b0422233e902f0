import { reportChecks } from '../billing/report-checks.js';
import { ledgerChecks } from './ledger-checks.js';
import { releaseChecks } from './release-checks.js';
import { tokenChecks } from './token-checks.js';

/** All checks of the audit. */
export const auditChecks = [...ledgerChecks, ...tokenChecks, ...reportChecks, ...releaseChecks];
