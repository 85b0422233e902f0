import { Arg, Args, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type Context, requireUser } from '../../core/context.js';
import { Job, JobPage, JobsArgs } from './admin-job.js';
import type { AdminJobService } from './admin-job.service.js';

@Resolver()
export class AdminJobResolver {
  constructor(private readonly service: AdminJobService) {}

  @Authorized('admin')
  @Query(() => JobPage, { description: 'Work in the background: mails, loads, what is done by the clock.' })
  jobs(@Args() { state, limit, offset }: JobsArgs): Promise<JobPage> {
    return this.service.list(state ?? null, limit, offset);
  }

  @Authorized('admin')
  @Mutation(() => Job, { description: 'Lets a job that failed or waits run now.' })
  retryJob(@Arg('id', () => ID) id: string, @Ctx() context: Context): Promise<Job> {
    return this.service.retry(requireUser(context).id, id);
  }
}
