import { Field, ID, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'An account that took several trials within 30 days.' })
export class TrialTaker {
  @Field(() => ID)
  accountId: string;

  @Field()
  email: string;

  @Field(() => Int)
  trials: number;

  @Field(() => Int, { description: 'Credits used of these trials.' })
  creditsUsed: number;

  @Field()
  latestAt: Date;
}

@ObjectType({ description: 'An IP address from which several trials were taken within a day, by one or more accounts.' })
export class TrialAddress {
  @Field()
  address: string;

  @Field(() => Int)
  trials: number;
}

@ObjectType({ description: 'Accounts and IP addresses with repeated trials, most trials first; at most 50 of each.' })
export class TrialTakers {
  @Field(() => [TrialTaker])
  accounts: TrialTaker[];

  @Field(() => [TrialAddress])
  addresses: TrialAddress[];
}
