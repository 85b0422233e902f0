import { AccountsResolver } from '../accounts/operators/accounts.resolver.js';
import { AdminActionResolver } from '../admin/admin-action.resolver.js';
import { AdminJobResolver } from '../admin/admin-job.resolver.js';
import { AdminCountyResolver } from '../admin/counties/admin-county.resolver.js';
import { CountyProfileResolver } from '../admin/counties/county-profile.resolver.js';
import { AccountBillingResolver } from '../admin/customers/account-billing.resolver.js';
import { EntryAccountResolver, TokenAccountResolver } from '../admin/customers/account-fields.resolver.js';
import { AccountUseResolver } from '../admin/customers/account-use.resolver.js';
import { AdjustBalanceResolver } from '../admin/customers/adjust-balance.resolver.js';
import { TrialTakersResolver } from '../admin/customers/trial-takers.resolver.js';
import { DashboardResolver } from '../admin/dashboard/dashboard.resolver.js';
import { AdminLoadResolver } from '../admin/loads/admin-load.resolver.js';
import { BillingResolver } from '../billing/checkout/billing.resolver.js';
import { BillingDifferenceResolver } from '../billing/reconcile/billing-difference.resolver.js';
import { WebhookEventResolver } from '../billing/webhook/webhook-event.resolver.js';
import { CountyResolver } from '../counties/county.resolver.js';
import { ZipResolver } from '../counties/zip-codes/zip.resolver.js';
import { BoughtRecordsResolver } from '../parcels/bought/bought-records.resolver.js';
import { CountyOfferResolver } from '../parcels/county-offer.resolver.js';
import { EntryRecordsResolver } from '../parcels/entry-records.resolver.js';
import { LedgerSegmentsResolver } from '../parcels/ledger-segments.resolver.js';
import { ParcelResolver } from '../parcels/parcel.resolver.js';

import { RecordProofResolver } from '../parcels/record-proof.resolver.js';
import { LedgerExportResolver } from '../proofs/export/ledger-export.resolver.js';
import { LogResolver } from '../proofs/log/log.resolver.js';

import { CountyReleaseResolver } from '../releases/catalogue/county-release.resolver.js';
import { RequestResolver } from '../requests/request.resolver.js';
import { TokenResolver } from '../tokens/token.resolver.js';
import { UsageTokenResolver } from '../tokens/usage-token.resolver.js';
import { AccountUsageResolver } from '../usage/account-usage.resolver.js';
import { DailyUsageResolver } from '../usage/daily-usage.resolver.js';
import { LedgerLinksResolver, LedgerTotalResolver } from '../usage/ledger-fields.resolver.js';
import { UsageResolver } from '../usage/usage.resolver.js';

/** Every resolver of the schema. */
export const resolverClasses = [
  CountyResolver,
  ZipResolver,
  TokenResolver,
  UsageResolver,
  UsageTokenResolver,
  AccountUsageResolver,
  LedgerLinksResolver,
  LedgerTotalResolver,
  DailyUsageResolver,
  LedgerExportResolver,
  CountyOfferResolver,
  LedgerSegmentsResolver,
  CountyReleaseResolver,
  ParcelResolver,
  EntryRecordsResolver,
  BoughtRecordsResolver,
  RecordProofResolver,
  LogResolver,
  AccountsResolver,
  RequestResolver,
  BillingResolver,
  WebhookEventResolver,
  BillingDifferenceResolver,
  DashboardResolver,
  AdjustBalanceResolver,
  TokenAccountResolver,
  EntryAccountResolver,
  AdminCountyResolver,
  AdminLoadResolver,
  CountyProfileResolver,
  AdminJobResolver,
  TrialTakersResolver,
  AccountUseResolver,
  AccountBillingResolver,
  AdminActionResolver,
] as const;
