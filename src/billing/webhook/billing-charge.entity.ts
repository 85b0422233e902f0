import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { BillingCustomerEntity } from '../subscriptions/billing-customer.entity.js';

/** A payment that was refunded or disputed. */
@Entity('billing_charge')
export class BillingChargeEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'billing_charge_pkey' })
  id: string;

  @ForeignKey(() => BillingCustomerEntity, { name: 'billing_charge_account_fkey' })
  @Column('text', { name: 'account_id' })
  accountId: string;

  @Column('bigint', { name: 'amount_cents' })
  amountCents: string;

  @Column('bigint', { name: 'refunded_cents' })
  refundedCents: string;

  @Column('boolean', { name: 'is_disputed' })
  isDisputed: boolean;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}
