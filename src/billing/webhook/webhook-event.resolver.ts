import { Arg, Args, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type Context, requireUser } from '../../core/context.js';
import type { EventInbox } from './event-inbox.js';
import { StripeEventEntity, WebhookEventList, WebhookEventsArgs } from './stripe-event.entity.js';
import type { WebhookEventStore } from './stripe-event.store.js';

@Resolver(() => StripeEventEntity)
export class WebhookEventResolver {
  constructor(
    private readonly store: WebhookEventStore,
    private readonly inbox: EventInbox,
  ) {}

  @Authorized('admin')
  @Query(() => WebhookEventList)
  webhookEvents(@Args() args: WebhookEventsArgs): Promise<WebhookEventList> {
    return this.store.list(args);
  }

  @Authorized('admin')
  @Mutation(() => StripeEventEntity, {
    description: "Processes an event again. This is safe also for a handled event, since the server fetches Stripe's current state.",
  })
  async replayWebhookEvent(@Ctx() context: Context, @Arg('id', () => ID) id: string): Promise<StripeEventEntity> {
    await this.inbox.replay(id, requireUser(context).id);
    return this.store.byId(id);
  }
}
