import { Field, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'The trial as it is offered here.' })
export class TrialPlan {
  @Field(() => Int, { description: 'Records that its token reads.' })
  records: number;

  @Field(() => Int, { description: 'For how many days from its issue.' })
  lifetimeDays: number;
}
