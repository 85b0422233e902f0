import { Field, ID, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'A payment of an account that was refunded or disputed.' })
export class AccountCharge {
  @Field(() => ID, { description: "Stripe's id of the charge." })
  id: string;

  @Field({ description: 'The amount paid, in US dollars, as a decimal string.' })
  amountUsd: string;

  @Field({ description: 'The amount refunded, in US dollars, as a decimal string.' })
  refundedUsd: string;

  @Field({ description: 'Whether the payment was disputed (a chargeback).' })
  isDisputed: boolean;

  @Field({ description: 'When the payment was made.' })
  createdAt: Date;
}

@ObjectType({ description: "An account's subscription to the paid plan, in the state that Stripe reported last." })
export class AccountSubscription {
  @Field(() => ID, { description: "Stripe's id of the subscription." })
  id: string;

  @Field({ description: "Stripe's id of the paying customer." })
  stripeCustomerId: string;

  @Field({ description: "Stripe's status of the subscription." })
  status: string;

  @Field()
  periodStart: Date;

  @Field()
  periodEnd: Date;

  @Field(() => Date, { nullable: true, description: 'When the subscription ends or ended; null if it renews.' })
  endsAt: Date | null;

  @Field(() => Int, { nullable: true, description: "The customer's limit of overage records per period; null if there is none." })
  overageCap: number | null;
}
