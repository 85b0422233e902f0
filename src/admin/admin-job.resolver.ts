import { Arg, Args, ArgsType, Authorized, Ctx, Field, ID, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import type { DataSource } from 'typeorm';
import { type Context, requireUser } from '../core/context.js';
import { AppError } from '../core/errors.js';
import { SearchedPageArgs } from '../core/page.args.js';
import { Job, JobState } from '../jobs/job.js';
import type { JobStore } from '../jobs/job.store.js';
import { recordAction } from '../operator-log/record-action.js';

@ObjectType()
export class JobPage {
  @Field(() => [Job], { description: 'Failed jobs first, then running ones, then by due time.' })
  jobs: Job[];

  @Field(() => Int, { description: 'The number of jobs on all pages.' })
  total: number;
}

@ArgsType()
export class JobsArgs extends SearchedPageArgs {
  @Field(() => JobState, { nullable: true })
  state?: JobState | null;
}

/** Background jobs, for operators. */
@Resolver()
export class AdminJobResolver {
  constructor(
    private readonly dataSource: DataSource,
    private readonly store: JobStore,
  ) {}

  @Authorized('admin')
  @Query(() => JobPage, { description: 'Background jobs: emails, loads and scheduled tasks.' })
  jobs(@Args() args: JobsArgs): Promise<JobPage> {
    return this.store.list(args);
  }

  /** @throws AppError not_found for an unknown job, conflict for a running one */
  @Authorized('admin')
  @Mutation(() => Job, { description: 'Runs a failed or waiting job now.' })
  retryJob(@Arg('id', () => ID) id: string, @Ctx() context: Context): Promise<Job> {
    const { id: actor } = requireUser(context);
    return this.dataSource.transaction(async (manager) => {
      const before = await this.store.byId(id, manager);
      if (!before) throw new AppError('not_found', 'There is no such job. It may have finished.');
      const job = await this.store.retry(id, manager);
      if (!job) throw new AppError('conflict', 'The job is already running.');
      const { task, state, attempts } = before;
      await recordAction(manager, { actor, action: 'retry job', target: id, reason: null, before: { task, state, attempts } });
      return job;
    });
  }
}
