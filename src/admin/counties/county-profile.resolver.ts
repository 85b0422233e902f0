import { Arg, Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { type Context, requireUser } from '../../core/context.js';
import { CountyProfile, ProfileContent, ProfileFileArgs } from './county-profile.js';
import type { CountyProfileService } from './county-profile.service.js';

@Resolver()
export class CountyProfileResolver {
  constructor(private readonly service: CountyProfileService) {}

  @Authorized('admin')
  @Query(() => [CountyProfile], { description: "The versions of a county's profiles, by part, newest first." })
  countyProfiles(@Arg('fips') fips: string): Promise<CountyProfile[]> {
    return this.service.list(fips);
  }

  @Authorized('admin')
  @Query(() => ProfileContent, { description: "What a profile's file tells, before it is imported." })
  profileFile(@Args() args: ProfileFileArgs): ProfileContent {
    return this.service.read(args);
  }

  @Authorized('admin')
  @Mutation(() => CountyProfile, { description: "Adds a profile from a file. The county's next load uses it." })
  importCountyProfile(@Args() args: ProfileFileArgs, @Ctx() context: Context): Promise<CountyProfile> {
    return this.service.import(requireUser(context).id, args);
  }
}
