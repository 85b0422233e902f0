import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A difference that the last comparison with Stripe found. */
@Entity('billing_difference')
export class BillingDifferenceEntity {
  /** Contains what differs and by how much: one that grows is a new row. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'billing_difference_pkey' })
  id: string;

  @Column('text', { name: 'account_id' })
  accountId: string;

  @Column('text')
  text: string;

  @Column('timestamptz', { name: 'found_at', default: () => 'service_now()' })
  foundAt: Date;
}
