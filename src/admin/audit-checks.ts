import { reportChecks } from '../billing/report-checks.js';
import { releaseChecks } from '../parcels/release-checks.js';
import { ledgerChecks } from '../usage/ledger-checks.js';
import { tokenChecks } from '../usage/token-checks.js';

/** All that the audit checks. */
export const auditChecks = [...ledgerChecks, ...tokenChecks, ...reportChecks, ...releaseChecks];
