import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What the last comparison with Stripe found to differ. */
@Entity('billing_difference')
export class BillingDifferenceEntity {
  /** Of what it is and by how much: one that grows is another one. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'billing_difference_pkey' })
  id: string;

  @Column('text', { name: 'account_id' })
  accountId: string;

  @Column('text')
  text: string;

  @Column('timestamptz', { name: 'found_at', default: () => 'service_now()' })
  foundAt: Date;
}
