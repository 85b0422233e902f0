import { Args, Authorized, Query, Resolver } from 'type-graphql';
import { AdminAction, AdminActionArgs } from './admin-action.js';
import type { AdminActionService } from './admin-action.service.js';

@Resolver()
export class AdminActionResolver {
  constructor(private readonly service: AdminActionService) {}

  @Authorized('admin')
  @Query(() => [AdminAction], { description: 'What operators did, newest first.' })
  adminActions(@Args() { target, limit, offset }: AdminActionArgs): Promise<AdminAction[]> {
    return this.service.list(target ?? null, limit, offset);
  }
}
