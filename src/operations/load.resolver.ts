import { Arg, Args, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type Context, callingUser } from '../context.js';
import type { LoadDesk } from './load-desk.js';
import { LoadJob, LoadJobPage, LoadOptionsInput } from './load-job.js';
import type { LoadJobStore } from './load-job.store.js';
import { LoadPreview } from './load-preview.js';
import { PageArgs } from './page.args.js';

/** Loading county files from the console. */
@Resolver()
export class LoadResolver {
  constructor(
    private readonly desk: LoadDesk,
    private readonly jobs: LoadJobStore,
  ) {}

  @Authorized('admin')
  @Query(() => LoadPreview, { description: 'What a load of the file would do. Loads nothing.' })
  uploadPreview(@Arg('uploadId', () => ID) uploadId: string, @Arg('options') options: LoadOptionsInput): Promise<LoadPreview> {
    return this.desk.preview(uploadId, options);
  }

  @Authorized('admin')
  @Query(() => LoadJobPage)
  loadJobs(@Args() { limit, offset }: PageArgs): Promise<LoadJobPage> {
    return this.jobs.list(limit, offset);
  }

  @Authorized('admin')
  @Query(() => LoadJob, { nullable: true })
  loadJob(@Arg('id', () => ID) id: string): Promise<LoadJob | null> {
    return this.jobs.byId(id);
  }

  @Authorized('admin')
  @Mutation(() => LoadJob, { description: 'Loads the file and publishes it. Returns at once: the load goes on in the server.' })
  startLoad(
    @Arg('uploadId', () => ID) uploadId: string,
    @Arg('options') options: LoadOptionsInput,
    @Ctx() context: Context,
  ): Promise<LoadJob> {
    return this.desk.start(callingUser(context).id, uploadId, options);
  }
}
