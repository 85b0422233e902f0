import { Field, ID, ObjectType } from 'type-graphql';

@ObjectType({ description: 'A payment of an account that was refunded or disputed.' })
export class AccountCharge {
  @Field(() => ID, { description: "Stripe's id of it." })
  id: string;

  @Field({ description: 'What was paid, in US dollars, as a decimal string.' })
  amountUsd: string;

  @Field({ description: 'What was given back of it.' })
  refundedUsd: string;

  @Field({ description: 'Whether the bank has contested it.' })
  isDisputed: boolean;

  @Field({ description: 'When it was paid.' })
  createdAt: Date;
}
