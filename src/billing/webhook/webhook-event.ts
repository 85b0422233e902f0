import { Field, ID, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'A webhook event from Stripe whose signature was verified.' })
export class WebhookEvent {
  @Field(() => ID)
  id: string;

  @Field()
  type: string;

  @Field({ description: 'stored (waits for a Stripe key), handled, ignored (not relevant) or failed.' })
  state: string;

  @Field()
  createdAt: Date;

  @Field()
  receivedAt: Date;

  @Field(() => Date, { nullable: true })
  handledAt: Date | null;

  @Field(() => Int)
  attempts: number;

  @Field(() => String, { nullable: true, description: 'Why the latest attempt failed; null if none did.' })
  error: string | null;
}

@ObjectType()
export class WebhookEventList {
  @Field(() => [WebhookEvent], { description: 'Failed events first, then newest first.' })
  events: WebhookEvent[];

  @Field(() => Int)
  total: number;
}
