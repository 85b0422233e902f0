import { Account } from '../accounts/identity/account.js';
import { PasskeyEntity } from '../accounts/identity/passkey.entity.js';
import { RecognizedDevice } from '../accounts/sessions/recognized-devices.js';
import { SessionEntity } from '../accounts/sessions/session.entity.js';
import { LoadJobEntity } from '../admin/loads/load-job.entity.js';
import { UploadChunkEntity, UploadEntity } from '../admin/loads/upload.entities.js';
import { AuditRunEntity } from '../audit/audit-run.entity.js';
import { AuditedBalanceEntity } from '../audit/entries/audited-balance.entity.js';
import { BillingDifferenceEntity } from '../billing/reconcile/billing-difference.entity.js';
import { BillingCustomerEntity } from '../billing/subscriptions/billing-customer.entity.js';
import { SubscriptionEntity } from '../billing/subscriptions/subscription.entity.js';
import { StripeEventEntity } from '../billing/webhook/stripe-event.entity.js';
import { County } from '../counties/county.js';
import { CoverageVersionEntity } from '../counties/coverage-version.entity.js';
import { SqlFileEntity } from '../database/migrating/sql-file.entity.js';
import { CreditBalanceEntity } from '../ledger/balances/credit-balance.entity.js';
import { UndeliveredReadEntity } from '../ledger/delivery/undelivered-read.entity.js';
import { LedgerEntryEntity } from '../ledger/entries/ledger-entry.entity.js';
import { OverageChangeEntity } from '../ledger/periods/overage-change.entity.js';
import { ApiTokenEntity } from '../ledger/spending/api-token.entity.js';
import { TokenLookupEntity } from '../ledger/spending/token-lookup.entity.js';
import { CountyProfileEntity } from '../loader/profile/county-profile.entity.js';
import { UnsentMailEntity } from '../mail/unsent-mail.entity.js';
import { AdminAction } from '../operator-log/admin-action.js';
import { DatabaseHomeEntity } from '../proofs/log/database-home.entity.js';
import {
  LogAlarmEntity,
  LogCheckpointEntity,
  LoggedBalanceEntity,
  LoggedReleaseEntity,
  LogLeafEntity,
  LogNodeEntity,
  LogOriginEntity,
  ReleaseRootEntity,
} from '../proofs/log/log.entities.js';
import { ParcelEntity } from '../releases/catalogue/parcel.entity.js';
import { ParcelAttributesEntity } from '../releases/catalogue/parcel-attributes.entity.js';
import { ParcelReleaseEntity } from '../releases/catalogue/parcel-release.entity.js';
import { RejectedRowsEntity } from '../releases/catalogue/rejected-rows.entity.js';
import { RequestBatchEntity, RequestCountEntity } from '../requests/request.entities.js';
import { ParcelMapEntity, ParcelTileEntity } from '../tiles/parcel-map.entity.js';
import { CountyEntriesEntity, DailyUsageEntity, HourlyUsageEntity, SummedBalanceEntity } from '../usage/sums/usage-sums.entities.js';

/** The entities of all our tables. */
export const entities = [
  SqlFileEntity,
  AdminAction,
  County,
  CoverageVersionEntity,
  CreditBalanceEntity,
  ApiTokenEntity,
  TokenLookupEntity,
  LedgerEntryEntity,
  UndeliveredReadEntity,
  OverageChangeEntity,
  AuditRunEntity,
  AuditedBalanceEntity,
  SummedBalanceEntity,
  HourlyUsageEntity,
  DailyUsageEntity,
  CountyEntriesEntity,
  ParcelReleaseEntity,
  CountyProfileEntity,
  ParcelEntity,
  ParcelAttributesEntity,
  ParcelMapEntity,
  ParcelTileEntity,
  DatabaseHomeEntity,
  RejectedRowsEntity,
  LogOriginEntity,
  LogLeafEntity,
  LogNodeEntity,
  LogCheckpointEntity,
  LoggedBalanceEntity,
  ReleaseRootEntity,
  LoggedReleaseEntity,
  LogAlarmEntity,
  StripeEventEntity,
  BillingCustomerEntity,
  SubscriptionEntity,
  BillingDifferenceEntity,
  Account,
  SessionEntity,
  PasskeyEntity,
  RecognizedDevice,
  UnsentMailEntity,
  LoadJobEntity,
  UploadEntity,
  UploadChunkEntity,
  RequestBatchEntity,
  RequestCountEntity,
];
