import { Field, ID, ObjectType } from 'type-graphql';

@ObjectType({ description: 'Something that was not the same here and in Stripe when they were last compared.' })
export class BillingDifference {
  @Field(() => ID)
  id: string;

  @Field(() => ID)
  accountId: string;

  @Field()
  text: string;

  @Field({ description: 'When it was first found.' })
  foundAt: Date;

  @Field(() => String, { nullable: true, description: 'Why an operator has acknowledged it; null: nobody has.' })
  reason: string | null;
}
