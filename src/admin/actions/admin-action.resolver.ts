import { Args, Authorized, Int, Query, Resolver } from 'type-graphql';
import { AdminAction, AdminActionArgs } from './admin-action.js';
import type { AdminActionService } from './admin-action.service.js';

@Resolver()
export class AdminActionResolver {
  constructor(private readonly service: AdminActionService) {}

  @Authorized('admin')
  @Query(() => [AdminAction], { description: 'The activity log, newest first.' })
  adminActions(@Args() args: AdminActionArgs): Promise<AdminAction[]> {
    return this.service.list(args);
  }

  @Authorized('admin')
  @Query(() => Int, { description: 'The number of entries that `adminActions` has on all pages.' })
  adminActionCount(@Args() args: AdminActionArgs): Promise<number> {
    return this.service.count(args);
  }
}
