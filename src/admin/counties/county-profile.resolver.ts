import { Matches, MaxLength } from 'class-validator';
import { Arg, Args, ArgsType, Authorized, Ctx, Field, ID, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import type { DataSource } from 'typeorm';
import { type Context, requireUser } from '../../core/context.js';
import { IsFips } from '../../core/parameters.js';
import { describeOptions, type Profile } from '../../loader/profile/profile.js';
import { importProfile, listProfiles, type StoredProfile } from '../../loader/profile/profile.store.js';
import { readProfileFile, writeProfileFile } from '../../loader/profile-file.js';
import { partName, partPattern, partRule } from '../../releases/catalogue/parts.js';
import { withFormLabels } from '../loads/form-labels.js';
import type { EmailOf } from '../row-loaders.js';

@ObjectType({ description: 'What a profile tells the loads of a county.' })
export class ProfileContent {
  @Field(() => String, { nullable: true, description: 'The part of the county; null for the whole county.' })
  part: string | null;

  @Field(() => [String], { description: 'The options that it sets besides the mapping.' })
  options: string[];

  @Field(() => [String], { description: 'The mapping, as `field=COLUMN+COLUMN`; fields that stay empty are left out.' })
  mapping: string[];
}

@ObjectType({ description: "A version of what is known of a county's source: the options of its loads." })
export class CountyProfile extends ProfileContent {
  @Field(() => ID)
  id: string;

  @Field(() => Int)
  version: number;

  @Field({ description: 'Whether the next load uses it.' })
  isInUse: boolean;

  @Field({ description: 'The file that another service imports.' })
  file: string;

  @Field(() => Int, { nullable: true, description: 'The release whose load proposed it; null if an operator imported it.' })
  releaseId: number | null;

  @Field({ description: 'The email address of the operator, or the id of a deleted account, or `command line`.' })
  createdBy: string;

  @Field()
  createdAt: Date;
}

const maxFileLength = 200_000;

@ArgsType()
export class ProfileFileArgs {
  @Field()
  @IsFips()
  fips: string;

  @Field(() => String, { nullable: true, description: 'The part of the county; unset means that of the file.' })
  @Matches(partPattern, { message: partRule })
  part?: string | null;

  @Field({ description: 'A file as `CountyProfile.file` has it.' })
  @MaxLength(maxFileLength)
  file: string;
}

/** Counties' profiles, for operators. A file with faults throws AppError naming the faulty keys. */
@Authorized('admin')
@Resolver()
export class CountyProfileResolver {
  constructor(
    private readonly dataSource: DataSource,
    private readonly emailOf: EmailOf,
  ) {}

  @Query(() => [CountyProfile], { description: "The versions of a county's profiles, by part, newest first." })
  async countyProfiles(@Arg('fips') fips: string): Promise<CountyProfile[]> {
    return Promise.all((await listProfiles(this.dataSource, fips)).map((stored) => this.shown(stored)));
  }

  @Query(() => ProfileContent, { description: "What a profile's file tells, before it is imported." })
  profileFile(@Args() args: ProfileFileArgs): ProfileContent {
    const { part, profile } = readFileOf(args);
    return contentOf(part, profile);
  }

  /** @throws AppError not_found for an unknown county; conflict while a load of it runs */
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
      createdBy: (await this.emailOf(createdBy)) ?? createdBy,
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
