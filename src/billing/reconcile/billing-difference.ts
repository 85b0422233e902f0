import { Field, ID, ObjectType } from 'type-graphql';

@ObjectType({ description: 'A difference between the ledger and Stripe in the latest comparison.' })
export class BillingDifference {
  @Field(() => ID)
  id: string;

  @Field(() => ID)
  accountId: string;

  @Field()
  text: string;

  @Field({ description: 'When the difference was first found.' })
  foundAt: Date;

  @Field(() => String, { nullable: true, description: 'Why an operator acknowledged the difference; null if none did.' })
  reason: string | null;
}
