import { Field, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'The paid plan as it is offered here.' })
export class PaidPlan {
  @Field({ description: 'Whether it can be bought: false where no Stripe key is configured.' })
  isConfigured: boolean;

  @Field({ description: 'A month, in US dollars, as a decimal string.' })
  priceUsd: string;

  @Field(() => Int, { description: 'Records that a month includes.' })
  includedRecords: number;

  @Field({ description: 'Each further record, in US dollars, as a decimal string.' })
  overageUnitUsd: string;
}
