import { IsIn } from 'class-validator';
import { ArgsType, Field, ID, Int, ObjectType } from 'type-graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { SearchedPageArgs } from '../../core/page.args.js';

const eventStates = ['stored', 'handled', 'ignored', 'failed'] as const;
export type EventState = (typeof eventStates)[number];

@ArgsType()
export class WebhookEventsArgs extends SearchedPageArgs {
  @Field(() => String, { nullable: true, description: 'A state as `WebhookEvent.state` names it.' })
  @IsIn(eventStates, { message: `must be one of ${eventStates.join(', ')}` })
  state?: EventState | null;
}

@ObjectType('WebhookEvent', { description: 'A webhook event from Stripe whose signature was verified.' })
@Entity('stripe_event')
export class StripeEventEntity {
  @Field(() => ID)
  @PrimaryColumn('text')
  id: string;

  @Field()
  @Column('text')
  type: string;

  @Field(() => String, { description: 'stored (waits for a Stripe key), handled, ignored (not relevant) or failed.' })
  @Column('text', { default: 'stored' })
  state: EventState;

  @Field()
  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Field()
  @Column('timestamptz', { name: 'received_at', default: () => 'service_now()' })
  receivedAt: Date;

  @Field(() => Date, { nullable: true })
  @Column('timestamptz', { name: 'handled_at', nullable: true })
  handledAt: Date | null;

  @Field(() => Int)
  @Column('integer', { default: 0 })
  attempts: number;

  @Field(() => String, { nullable: true, description: 'Why the latest attempt failed; null if none did.' })
  @Column('text', { nullable: true })
  error: string | null;

  /** The signed body; null: deleted 30 days after the event was handled. */
  @Column('json', { nullable: true, select: false })
  payload: object | null;
}

@ObjectType()
export class WebhookEventList {
  @Field(() => [StripeEventEntity], { description: 'Failed events first, then newest first.' })
  events: StripeEventEntity[];

  @Field(() => Int)
  total: number;
}
