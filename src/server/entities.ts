import { getMetadataArgsStorage } from 'typeorm';
import '../accounts/account.js';
import '../admin/loads/load-job.js';
import '../audit/audit-run.js';
import '../billing/reconcile/billing-difference.js';
import '../billing/subscriptions/billing-customer.entity.js';
import '../billing/subscriptions/subscription.entity.js';
import '../billing/webhook/stripe-event.entity.js';
import '../counties/county.js';
import '../ledger/credit-balance.entity.js';
import '../ledger/api-token.entity.js';
import '../operator-log/admin-action.js';
import '../releases/catalogue/parcel-release.entity.js';

/** The entities of all rooms: each registers itself when its file is imported. */
export const entities = getMetadataArgsStorage().tables.map(({ target }) => target);
