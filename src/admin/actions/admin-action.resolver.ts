import { Arg, Args, Authorized, ID, Int, Query, Resolver } from 'type-graphql';
import { AdminAction, AdminActionArgs } from './admin-action.js';
import type { AdminActionService } from './admin-action.service.js';

@Resolver()
export class AdminActionResolver {
  constructor(private readonly service: AdminActionService) {}

  @Authorized('admin')
  @Query(() => [AdminAction], { description: 'The activity log, newest first.' })
  adminActions(@Args() { target, limit, offset }: AdminActionArgs): Promise<AdminAction[]> {
    return this.service.list(target ?? null, limit, offset);
  }

  @Authorized('admin')
  @Query(() => Int, { description: 'The number of entries that `adminActions` has on all pages.' })
  adminActionCount(@Arg('target', () => ID, { nullable: true }) target?: string): Promise<number> {
    return this.service.count(target ?? null);
  }
}
