import type { Pool } from 'pg';
import { Arg, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type Context, requireUser } from '../../core/context.js';
import { AppError } from '../../core/errors.js';
import { readReason } from '../../core/reason.js';
import { recordAction } from '../../operator-log/record-action.js';
import { acknowledgeAction, BillingDifferenceEntity, listDifferences } from './billing-difference.js';

@Resolver(() => BillingDifferenceEntity)
export class BillingDifferenceResolver {
  constructor(private readonly pool: Pool) {}

  @Authorized('admin')
  @Query(() => [BillingDifferenceEntity], {
    description: 'Differences found by the latest comparison with Stripe, unacknowledged ones first; at most 500.',
  })
  billingDifferences(): Promise<BillingDifferenceEntity[]> {
    return listDifferences(this.pool);
  }

  @Authorized('admin')
  @Mutation(() => BillingDifferenceEntity, {
    description: 'Acknowledges a difference as known and correct. If it grows, it is reported again.',
  })
  async acknowledgeBillingDifference(
    @Ctx() context: Context,
    @Arg('id', () => ID) id: string,
    @Arg('reason', () => String) reason: string,
  ): Promise<BillingDifferenceEntity> {
    const find = async () => (await listDifferences(this.pool)).find((difference) => difference.id === id);
    const known = await find();
    if (!known) throw new AppError('not_found', 'There is no such difference.');
    const actor = requireUser(context).id;
    await recordAction(this.pool, { actor, action: acknowledgeAction, target: id, reason: readReason(reason) });
    return (await find()) ?? known;
  }
}
