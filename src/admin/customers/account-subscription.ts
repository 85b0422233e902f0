import { Field, ID, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'A subscription of an account to the paid plan, as Stripe described it last.' })
export class AccountSubscription {
  @Field(() => ID, { description: "Stripe's id of it." })
  id: string;

  @Field({ description: "Stripe's id of the customer who pays it." })
  stripeCustomerId: string;

  @Field({ description: "Stripe's word for its state." })
  status: string;

  @Field()
  periodStart: Date;

  @Field()
  periodEnd: Date;

  @Field(() => Date, { nullable: true, description: 'When it will end, or has ended; null: it renews.' })
  endsAt: Date | null;

  @Field(() => Int, { nullable: true, description: 'The bound on overage records a period; null: none.' })
  overageCap: number | null;
}
