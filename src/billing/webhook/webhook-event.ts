import { Field, ID, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: "A verified delivery of Stripe's." })
export class WebhookEvent {
  @Field(() => ID)
  id: string;

  @Field()
  type: string;

  @Field({ description: 'stored (no Stripe key to handle it with), handled, ignored (of no concern here) or failed.' })
  state: string;

  @Field()
  createdAt: Date;

  @Field()
  receivedAt: Date;

  @Field(() => Date, { nullable: true })
  handledAt: Date | null;

  @Field(() => Int)
  attempts: number;

  @Field(() => String, { nullable: true, description: 'Why the last attempt failed.' })
  error: string | null;
}

@ObjectType()
export class WebhookEventList {
  @Field(() => [WebhookEvent], { description: 'Failed ones first, then the newest.' })
  events: WebhookEvent[];

  @Field(() => Int)
  total: number;
}
