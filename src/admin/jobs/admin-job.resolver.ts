import { Arg, Args, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type Context, requireUser } from '../../core/context.js';
import { Job, JobPage, JobsArgs } from './admin-job.js';
import type { AdminJobService } from './admin-job.service.js';

@Resolver()
export class AdminJobResolver {
  constructor(private readonly service: AdminJobService) {}

  @Authorized('admin')
  @Query(() => JobPage, { description: 'Background jobs: emails, loads and scheduled tasks.' })
  jobs(@Args() { state, search, limit, offset }: JobsArgs): Promise<JobPage> {
    return this.service.list({ state: state ?? null, search: search ?? '' }, limit, offset);
  }

  @Authorized('admin')
  @Mutation(() => Job, { description: 'Runs a failed or waiting job now.' })
  retryJob(@Arg('id', () => ID) id: string, @Ctx() context: Context): Promise<Job> {
    return this.service.retry(requireUser(context).id, id);
  }
}
