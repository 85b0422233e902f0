import { Arg, Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { DataSource } from 'typeorm';
import { type Context, requireUser } from '../../core/context.js';
import { describeOptions, type Profile } from '../../loader/profile/profile.js';
import { importProfile, listProfiles, type StoredProfile } from '../../loader/profile/profile.store.js';
import { readProfileFile, writeProfileFile } from '../../loader/profile-file.js';
import { partName } from '../../releases/catalogue/parts.js';
import { withFormLabels } from '../loads/form-labels.js';
import type { AccountEmails } from '../row-loaders.js';
import { CountyProfile, ProfileContent, ProfileFileArgs } from './county-profile.js';

/** Counties' profiles, for operators. A file with faults throws AppError naming the faulty keys. */
@Resolver()
export class CountyProfileResolver {
  constructor(
    private readonly dataSource: DataSource,
    private readonly emails: AccountEmails,
  ) {}

  @Authorized('admin')
  @Query(() => [CountyProfile], { description: "The versions of a county's profiles, by part, newest first." })
  async countyProfiles(@Arg('fips') fips: string): Promise<CountyProfile[]> {
    return Promise.all((await listProfiles(this.dataSource, fips)).map((stored) => this.shown(stored)));
  }

  @Authorized('admin')
  @Query(() => ProfileContent, { description: "What a profile's file tells, before it is imported." })
  profileFile(@Args() args: ProfileFileArgs): ProfileContent {
    const { part, profile } = readFileOf(args);
    return contentOf(part, profile);
  }

  /** @throws AppError not_found for an unknown county; conflict while a load of it runs */
  @Authorized('admin')
  @Mutation(() => CountyProfile, { description: "Adds a profile from a file. The county's next load uses it." })
  async importCountyProfile(@Args() args: ProfileFileArgs, @Ctx() context: Context): Promise<CountyProfile> {
    const { part, profile } = readFileOf(args);
    return this.shown(await importProfile(this.dataSource, { fips: args.fips, part, profile, actor: requireUser(context).id }));
  }

  private async shown(stored: StoredProfile): Promise<CountyProfile> {
    const { countyFips, part, version, body, createdBy } = stored;
    return {
      ...stored,
      ...contentOf(part, body),
      id: `${countyFips} ${part ?? ''} ${version}`,
      file: writeProfileFile(stored),
      createdBy: (await this.emails.of(createdBy)) ?? createdBy,
    };
  }
}

function readFileOf({ fips, part, file }: ProfileFileArgs): ReturnType<typeof readProfileFile> {
  const read = readProfileFile(file, fips);
  const name = part ?? read.part;
  return { part: name === null ? null : partName(name), profile: read.profile };
}

const contentOf = (part: string | null, profile: Profile): ProfileContent => ({
  part,
  options: describeOptions(profile).map(withFormLabels),
  mapping: Object.entries(profile.map).flatMap(([field, { columns, unit }]) =>
    columns.length === 0 ? [] : [`${field}=${columns.join('+')}${unit ? ` (${unit})` : ''}`],
  ),
});
