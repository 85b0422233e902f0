import type { Pool } from 'pg';
import { Arg, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type Context, requireUser } from '../../core/context.js';
import { AppError } from '../../core/errors.js';
import { readReason } from '../../core/reason.js';
import type { OperatorLog } from '../../operator-log/operator-log.js';
import { BillingDifference } from './billing-difference.js';
import { acknowledging, listDifferences } from './billing-difference.store.js';

@Resolver(() => BillingDifference)
export class BillingDifferenceResolver {
  constructor(
    private readonly pool: Pool,
    private readonly audit: OperatorLog,
  ) {}

  @Authorized('admin')
  @Query(() => [BillingDifference], {
    description: 'Differences found by the latest comparison with Stripe, unacknowledged ones first; at most 500.',
  })
  billingDifferences(): Promise<BillingDifference[]> {
    return listDifferences(this.pool);
  }

  @Authorized('admin')
  @Mutation(() => BillingDifference, { description: 'Acknowledges a difference as known and correct. If it grows, it is reported again.' })
  async acknowledgeBillingDifference(
    @Ctx() context: Context,
    @Arg('id', () => ID) id: string,
    @Arg('reason', () => String) reason: string,
  ): Promise<BillingDifference> {
    const find = async () => (await listDifferences(this.pool)).find((difference) => difference.id === id);
    const known = await find();
    if (!known) throw new AppError('not_found', 'There is no such difference.');
    await this.audit.write({ actor: requireUser(context).id, action: acknowledging, target: id, reason: readReason(reason) });
    return (await find()) ?? known;
  }
}
