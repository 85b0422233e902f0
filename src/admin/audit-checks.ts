import { reportChecks } from '../billing/report-checks.js';
import { releaseChecks } from '../parcels/release-checks.js';
import { ledgerChecks } from '../usage/ledger-checks.js';

/** All that the audit checks. */
export const auditChecks = [...ledgerChecks, ...releaseChecks, ...reportChecks];
