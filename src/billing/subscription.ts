import { Field, ID, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: "An account's subscription to the paid plan: the living one, else the last." })
export class Subscription {
  @Field(() => ID)
  id: string;

  @Field({ description: "Stripe's word for its state: active, past_due, unpaid, canceled and so on." })
  status: string;

  @Field({ description: 'Whether its tokens may read.' })
  isLive: boolean;

  @Field({ description: 'Whether it can never charge again. Until then the account cannot subscribe anew.' })
  hasEnded: boolean;

  @Field()
  periodStart: Date;

  @Field()
  periodEnd: Date;

  @Field(() => Date, { nullable: true, description: 'When it will end, or has ended; null: it renews.' })
  endsAt: Date | null;

  @Field(() => Int, { description: 'Included records left in the period.' })
  creditsRemaining: number;

  @Field(() => Int, { description: 'Records beyond the included ones in this period.' })
  overageRecords: number;

  @Field({ description: 'What they cost so far, in US dollars, as a decimal string.' })
  overageUsd: string;

  @Field(() => Int, { nullable: true, description: 'The bound on overage records a period; null: none.' })
  overageCap: number | null;
}
