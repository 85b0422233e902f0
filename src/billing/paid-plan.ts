import { Field, ObjectType } from 'type-graphql';
import { Plan } from '../usage/plan.js';

@ObjectType({ description: 'The paid plan as it is offered here.' })
export class PaidPlan extends Plan {
  @Field({ description: 'Whether it can be bought: false where no Stripe key is configured.' })
  isConfigured: boolean;
}
