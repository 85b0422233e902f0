import type { Pool } from 'pg';
import { Arg, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type Context, requireUser } from '../../core/context.js';
import { AppError } from '../../core/errors.js';
import { readReason } from '../../core/reason.js';
import type { OperatorLog } from '../../operator-log/operator-log.js';
import { BillingDifferenceEntity } from './billing-difference.entity.js';
import { acknowledgeAction, listDifferences } from './billing-difference.store.js';

@Resolver(() => BillingDifferenceEntity)
export class BillingDifferenceResolver {
  constructor(
    private readonly pool: Pool,
    private readonly operatorLog: OperatorLog,
  ) {}

  @Authorized('admin')
  @Query(() => [BillingDifferenceEntity], {
    description: 'Of the last comparison with Stripe; those first that nobody has acknowledged. At most 500.',
  })
  billingDifferences(): Promise<BillingDifferenceEntity[]> {
    return listDifferences(this.pool);
  }

  @Authorized('admin')
  @Mutation(() => BillingDifferenceEntity, { description: 'Says that a difference is known and right. One that grows is named again.' })
  async acknowledgeBillingDifference(
    @Ctx() context: Context,
    @Arg('id', () => ID) id: string,
    @Arg('reason', () => String) reason: string,
  ): Promise<BillingDifferenceEntity> {
    const find = async () => (await listDifferences(this.pool)).find((difference) => difference.id === id);
    const known = await find();
    if (!known) throw new AppError('not_found', 'There is no such difference.');
    await this.operatorLog.write({ actor: requireUser(context).id, action: acknowledgeAction, target: id, reason: readReason(reason) });
    return (await find()) ?? known;
  }
}
