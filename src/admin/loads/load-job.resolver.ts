import type { Pool } from 'pg';
import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { DataSource } from 'typeorm';
import { type Context, requireUser } from '../../core/context.js';
import { AppError } from '../../core/errors.js';
import { recordAction } from '../../operator-log/record-action.js';
import { findCounty } from '../../releases/lifecycle/county-lock.js';
import { sourceOf } from './county-source.resolver.js';
import { withFormLabels } from './form-labels.js';
import { LoadOptionsInput } from './load-input.js';
import { LoadJob, LoadJobPage, LoadJobsArgs } from './load-job.js';
import type { LoadJobStore } from './load-job.store.js';
import type { UploadStore } from './upload-store.js';

/** Loads of county files, for operators. */
@Authorized('admin')
@Resolver(() => LoadJob)
export class LoadJobResolver {
  constructor(
    private readonly pool: Pool,
    private readonly dataSource: DataSource,
    private readonly jobs: LoadJobStore,
    private readonly uploads: UploadStore,
  ) {}

  @Query(() => LoadJobPage)
  loadJobs(@Args() args: LoadJobsArgs): Promise<LoadJobPage> {
    return this.jobs.list(args);
  }

  @Query(() => LoadJob, { nullable: true })
  loadJob(@Arg('id', () => ID) id: string): Promise<LoadJob | null> {
    return this.jobs.byId(id);
  }

  @Query(() => LoadJob, { nullable: true, description: 'The load that makes or made a release; null if it is not known.' })
  loadJobOfRelease(@Arg('releaseId', () => Int) releaseId: number): Promise<LoadJob | null> {
    return this.jobs.ofRelease(releaseId);
  }

  @Mutation(() => LoadJob, {
    description:
      'Starts a load of the file, or without one from `options.sourceUrl` or what is known of the county, and returns at once. The server loads and publishes it in the background.',
  })
  async startLoad(
    @Arg('uploadId', () => ID, { nullable: true }) uploadId: string | null,
    @Arg('options') options: LoadOptionsInput,
    @Ctx() context: Context,
  ): Promise<LoadJob> {
    const { id: actor } = requireUser(context);
    await findCounty(this.pool, options.countyFips);
    const fileName = uploadId == null ? (await sourceOf(this.pool, options)).url : (await this.uploads.require(uploadId)).fileName;
    return this.dataSource.transaction(async (manager) => {
      const job = await this.jobs.insert({ uploadId, fileName, options, startedBy: actor }, manager);
      const after = { job: job.id, file: fileName, options };
      await recordAction(manager, { actor, action: 'start load', target: options.countyFips, reason: null, after });
      return job;
    });
  }

  /** @throws AppError conflict if the load did not fail, not_found if its file is gone */
  @Mutation(() => LoadJob, { description: 'Repeats a failed load. Its file is kept for a day.' })
  async retryLoad(@Arg('id', () => ID) id: string, @Ctx() context: Context): Promise<LoadJob> {
    const job = await this.jobs.failed(id);
    if (!job) throw new AppError('conflict', 'Only a load that failed can be tried again.');
    return this.startLoad(job.uploadId, job.options, context);
  }

  @FieldResolver(() => String, { nullable: true, description: 'Why the load failed, or a remark on its result; null if there is none.' })
  message(@Root() { message }: LoadJob): string | null {
    return message && withFormLabels(message);
  }
}
