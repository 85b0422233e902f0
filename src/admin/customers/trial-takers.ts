import { Field, ID, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'An account that took several trials within 30 days, one after the other.' })
export class TrialTaker {
  @Field(() => ID)
  accountId: string;

  @Field()
  email: string;

  @Field(() => Int)
  trials: number;

  @Field(() => Int, { description: 'Credits of these trials that were used.' })
  creditsUsed: number;

  @Field()
  latestAt: Date;
}

@ObjectType({ description: 'An address from which several trials were taken within a day, by one account or by many.' })
export class TrialAddress {
  @Field()
  address: string;

  @Field(() => Int)
  trials: number;
}

@ObjectType({ description: 'Who takes trials again and again: those with the most first, 50 at the most.' })
export class TrialTakers {
  @Field(() => [TrialTaker])
  accounts: TrialTaker[];

  @Field(() => [TrialAddress])
  addresses: TrialAddress[];
}
