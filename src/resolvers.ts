import { AccountsResolver } from './accounts/accounts.resolver.js';
import { BillingResolver } from './billing/billing.resolver.js';
import { WebhookEventResolver } from './billing/webhook-event.resolver.js';
import { CountyResolver } from './counties/county.resolver.js';
import { CountyDeskResolver } from './operations/county-desk.resolver.js';
import { CustomerDeskResolver } from './operations/customer-desk.resolver.js';
import { LoadResolver } from './operations/load.resolver.js';
import { OperationsResolver } from './operations/operations.resolver.js';
import { ParcelResolver } from './parcels/parcel.resolver.js';
import { TokenResolver } from './tokens/token.resolver.js';
import { AccountUsageResolver } from './usage/account-usage.resolver.js';
import { UsageResolver } from './usage/usage.resolver.js';

/** Every resolver of the schema. */
export const resolverClasses = [
  CountyResolver,
  TokenResolver,
  UsageResolver,
  AccountUsageResolver,
  ParcelResolver,
  AccountsResolver,
  BillingResolver,
  WebhookEventResolver,
  OperationsResolver,
  CustomerDeskResolver,
  CountyDeskResolver,
  LoadResolver,
] as const;
