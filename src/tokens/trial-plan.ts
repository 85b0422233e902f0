import { Field, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'The terms of the trial.' })
export class TrialPlan {
  @Field(() => Int, { description: 'Records that a trial token can read.' })
  records: number;

  @Field(() => Int, { description: 'Days from its issue until the token expires.' })
  lifetimeDays: number;
}
