import { Arg, Args, Authorized, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Context, requireUser } from '../../core/context.js';
import { County } from '../../counties/county.js';
import { CountyStatusArgs, PublishReleaseArgs, Release, ReleaseList, ReleasesArgs, RollbackCountyArgs } from './admin-county.js';
import type { AdminCountyService } from './admin-county.service.js';
import { RejectedRow, RejectedRowsArgs } from './rejected-row.js';

/** Counties and their releases, for operators. */
@Resolver(() => County)
export class AdminCountyResolver {
  constructor(private readonly service: AdminCountyService) {}

  @Authorized('admin')
  @FieldResolver(() => String, { nullable: true, description: 'A note for operators only; null if there is none.' })
  note(@Root() { note }: County): string | null {
    return note;
  }

  @Authorized('admin')
  @FieldResolver(() => Int, { nullable: true })
  currentReleaseId(@Root() { currentReleaseId }: County): number | null {
    return currentReleaseId;
  }

  @Authorized('admin')
  @FieldResolver(() => Int, {
    nullable: true,
    description: 'The release that a rollback would make current; null if no earlier release has its records.',
  })
  rollbackReleaseId(@Root() { fips }: County): Promise<number | null> {
    return this.service.releaseToRollBackTo(fips);
  }

  @Authorized('admin')
  @Query(() => [Release], { description: "A county's releases, newest first." })
  countyReleases(@Arg('fips') fips: string): Promise<Release[]> {
    return this.service.releases(fips);
  }

  @Authorized('admin')
  @Query(() => ReleaseList, { description: 'Releases of all counties.' })
  releases(@Args() args: ReleasesArgs): Promise<ReleaseList> {
    return this.service.list(args);
  }

  @Authorized('admin')
  @Query(() => Release, { description: 'One release by its id.' })
  countyRelease(@Arg('releaseId', () => Int) releaseId: number): Promise<Release> {
    return this.service.release(releaseId);
  }

  @Authorized('admin')
  @Query(() => [RejectedRow], { description: "The first rejected rows of a release's file, each with the reason." })
  rejectedRows(@Args() args: RejectedRowsArgs): Promise<RejectedRow[]> {
    return this.service.rejectedRows(args);
  }

  @Authorized('admin')
  @Mutation(() => County, {
    description: "Sets a county's status or note. Setting the status of a loaded county withdraws its records; a rollback restores them.",
  })
  setCountyStatus(@Args() args: CountyStatusArgs, @Ctx() context: Context): Promise<County> {
    return this.service.setStatus(requireUser(context).id, args);
  }

  @Authorized('admin')
  @Mutation(() => County, { description: 'Makes a release current that is held for review or still has its records.' })
  publishRelease(@Args() { releaseId, accept }: PublishReleaseArgs, @Ctx() context: Context): Promise<County> {
    return this.service.publish(requireUser(context).id, releaseId, accept);
  }

  @Authorized('admin')
  @Mutation(() => County, { description: 'Discards a release that is held for review. Its records are deleted later.' })
  discardRelease(@Arg('releaseId', () => Int) releaseId: number, @Ctx() context: Context): Promise<County> {
    return this.service.discard(requireUser(context).id, releaseId);
  }

  @Authorized('admin')
  @Mutation(() => County, { description: 'Makes the previous release current again.' })
  rollbackCounty(@Args() { fips, from }: RollbackCountyArgs, @Ctx() context: Context): Promise<County> {
    return this.service.rollBack(requireUser(context).id, fips, from ?? null);
  }
}
