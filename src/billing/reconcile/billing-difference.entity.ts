import { Field, ID, ObjectType } from 'type-graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType('BillingDifference', { description: 'A difference between the ledger and Stripe in the latest comparison.' })
@Entity('billing_difference')
export class BillingDifferenceEntity {
  /** Contains what differs and by how much, so an acknowledged difference is not named again, and one that grows is. */
  @Field(() => ID)
  @PrimaryColumn('text')
  id: string;

  @Field(() => ID)
  @Column('text', { name: 'account_id' })
  accountId: string;

  @Field()
  @Column('text')
  text: string;

  @Field({ description: 'When the difference was first found.' })
  @Column('timestamptz', { name: 'found_at', default: () => 'service_now()' })
  foundAt: Date;

  /** What it was found in. */
  @Column('text')
  kind: DifferenceKind;

  /** From the activity log. */
  @Field(() => String, { nullable: true, description: 'Why an operator acknowledged the difference; null if none did.' })
  reason: string | null;
}

/** A customer's bills and credits, the ledger heads that they name, or subscriptions. */
export type DifferenceKind = 'bills' | 'ledger' | 'subscription';

/** Something that differs here and in Stripe. */
export type Difference = Pick<BillingDifferenceEntity, 'id' | 'accountId' | 'text'>;
