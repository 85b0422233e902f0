import { Field, ID, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'What is to be paid next, as far as it is known now.' })
export class NextBill {
  @Field({ description: 'When its period ends.' })
  at: Date;

  @Field({ description: "The plan's price for the next period, in US dollars; 0.00 where there is none." })
  planUsd: string;

  @Field({ description: 'All overage that is on no bill yet, in US dollars. Below zero: given back.' })
  overageUsd: string;

  @Field({ description: 'In US dollars, without taxes.' })
  totalUsd: string;
}

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

  @Field(() => NextBill, { nullable: true, description: 'Null: nothing is to be paid any more.' })
  nextBill: NextBill | null;
}
