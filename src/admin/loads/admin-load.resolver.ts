import { Arg, Args, Authorized, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';
import { type Context, requireUser } from '../../core/context.js';
import type { AdminLoadService } from './admin-load.service.js';
import { CheckSourceArgs, CountySource, SourceState } from './county-source.js';
import { LoadCheck } from './load-check.js';
import { LoadJob, LoadJobPage, LoadJobsArgs, LoadOptionsInput } from './load-job.js';
import type { LoadJobStore } from './load-job.store.js';
import { JoinMatch, LoadPreview } from './load-preview.js';
import type { SourceService } from './source.service.js';

/** Loading county files from the console. */
@Resolver()
export class AdminLoadResolver {
  constructor(
    private readonly service: AdminLoadService,
    private readonly jobs: LoadJobStore,
    private readonly sources: SourceService,
  ) {}

  @Authorized('admin')
  @Query(() => LoadPreview, { description: 'What a load of the file would do, without loading it.' })
  uploadPreview(@Arg('uploadId', () => ID) uploadId: string, @Arg('options') options: LoadOptionsInput): Promise<LoadPreview> {
    return this.service.preview(uploadId, options);
  }

  @Authorized('admin')
  @Query(() => JoinMatch, {
    nullable: true,
    description:
      'How the tax roll and the shapes match. Reads both files to their ends, which takes a minute for a large county. Null without a roll.',
  })
  joinMatch(@Arg('uploadId', () => ID) uploadId: string, @Arg('options') options: LoadOptionsInput): Promise<JoinMatch | null> {
    return this.service.joinMatch(uploadId, options);
  }

  @Authorized('admin')
  @Query(() => LoadCheck, { description: 'Reads all rows of the file as a load would, and writes none. Takes about as long as the load.' })
  uploadCheck(@Arg('uploadId', () => ID) uploadId: string, @Arg('options') options: LoadOptionsInput): Promise<LoadCheck> {
    return this.service.check(uploadId, options);
  }

  @Authorized('admin')
  @Query(() => LoadJobPage)
  loadJobs(@Args() args: LoadJobsArgs): Promise<LoadJobPage> {
    return this.jobs.list(args);
  }

  @Authorized('admin')
  @Query(() => LoadJob, { nullable: true })
  loadJob(@Arg('id', () => ID) id: string): Promise<LoadJob | null> {
    return this.jobs.byId(id);
  }

  @Authorized('admin')
  @Query(() => LoadJob, { nullable: true, description: 'The load that makes or made a release; null if it is not known.' })
  loadJobOfRelease(@Arg('releaseId', () => Int) releaseId: number): Promise<LoadJob | null> {
    return this.jobs.ofRelease(releaseId);
  }

  @Authorized('admin')
  @Mutation(() => LoadJob, {
    description: 'Starts a load of the file and returns at once. The server loads and publishes it in the background.',
  })
  startLoad(
    @Arg('uploadId', () => ID) uploadId: string,
    @Arg('options') options: LoadOptionsInput,
    @Ctx() context: Context,
  ): Promise<LoadJob> {
    return this.service.start(requireUser(context).id, uploadId, options);
  }

  @Authorized('admin')
  @Query(() => CountySource, { nullable: true, description: 'Null if none is known.' })
  countySource(@Arg('fips') fips: string): Promise<CountySource | null> {
    return this.sources.find(fips);
  }

  @Authorized('admin')
  @Mutation(() => SourceState, { description: 'Asks a source whether it answers, how many records it has, and when they changed.' })
  checkSource(@Args() args: CheckSourceArgs): Promise<SourceState> {
    return this.sources.check(args);
  }

  @Authorized('admin')
  @Mutation(() => LoadJob, {
    description: "Starts a load from the county's own service, or from `options.sourceUrl`, and returns at once.",
  })
  startSourceLoad(@Arg('options') options: LoadOptionsInput, @Ctx() context: Context): Promise<LoadJob> {
    return this.service.start(requireUser(context).id, null, options);
  }

  @Authorized('admin')
  @Mutation(() => LoadJob, { description: 'Repeats a failed load. Its file is kept for a day.' })
  retryLoad(@Arg('id', () => ID) id: string, @Ctx() context: Context): Promise<LoadJob> {
    return this.service.retry(requireUser(context).id, id);
  }
}
