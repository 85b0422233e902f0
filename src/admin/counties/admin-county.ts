import { ArrayMaxSize, IsIn, Length, Matches, MaxLength } from 'class-validator';
import { ArgsType, Field, InputType, Int, ObjectType } from 'type-graphql';
import { PageArgs } from '../../core/page.args.js';
import { IsFips, plainLines, plainText, plainTextRule } from '../../core/parameters.js';
import type { CountyStatus } from '../../counties/county.js';
import { ReleaseReport } from './release-report.js';

@InputType({ description: "The county's state as the operator saw it. If it has changed since, the request is refused." })
export class CountySeen {
  @Field(() => String)
  status: CountyStatus;

  @Field(() => String, { nullable: true })
  note?: string | null;

  @Field(() => Int, { nullable: true })
  currentReleaseId?: number | null;
}

@ArgsType()
export class CountyStatusArgs {
  @Field()
  @IsFips()
  fips: string;

  @Field(() => CountySeen)
  seen: CountySeen;

  @Field(() => String, { nullable: true, description: 'planned or unavailable; unset keeps the current status.' })
  @IsIn(['planned', 'unavailable'], { message: 'must be planned or unavailable; only a load sets loaded and loading' })
  status?: 'planned' | 'unavailable' | null;

  @Field(() => String, { nullable: true, description: 'A note for operators only. Null removes it, unset keeps it.' })
  @MaxLength(2000)
  @Matches(plainLines, plainTextRule)
  note?: string | null;
}

@ObjectType({ description: 'One part (for example a town) of a county that is loaded in parts.' })
export class LoadedPart {
  @Field()
  name: string;

  @Field(() => Int, { description: 'The release whose load brought these records.' })
  loadedBy: number;

  @Field(() => Int)
  records: number;

  @Field()
  sourceName: string;

  @Field(() => String, { nullable: true, description: 'The date of the source data, YYYY-MM-DD; null if not stated.' })
  sourceDate: string | null;
}

const releaseStates = ['current', 'previous', 'loading', 'held', 'unchanged', 'failed', 'discarded', 'pruned'] as const;

@ObjectType({ description: 'A release: the result of one load of a county.' })
export class Release {
  @Field(() => Int)
  id: number;

  @Field()
  countyFips: string;

  @Field()
  countyName: string;

  @Field({ description: "The state's two-letter postal code." })
  countyState: string;

  @Field(() => String, {
    description:
      'current, previous (can be published again), loading, held (waits for review), unchanged (had the records of the current release), failed, discarded (was held, and never published), or pruned (its records are deleted).',
  })
  state: (typeof releaseStates)[number];

  @Field(() => String, { nullable: true, description: 'The part of the county that was loaded; null for the whole county.' })
  part: string | null;

  @Field({ description: 'The publisher of the source data.' })
  sourceName: string;

  @Field(() => String, { nullable: true, description: 'The URL of the source data; null if not stated.' })
  sourceUrl: string | null;

  @Field(() => String, { nullable: true, description: 'The date of the source data, YYYY-MM-DD; null if not stated.' })
  sourceDate: string | null;

  @Field()
  format: string;

  @Field(() => Int, { description: 'Rows read from the file: the loaded and the rejected ones.' })
  rowsRead: number;

  @Field(() => Int)
  rowsLoaded: number;

  @Field(() => Int)
  rowsRejected: number;

  @Field(() => Int, { description: 'Records of other parts, taken over from the previous release.' })
  recordsKept: number;

  @Field(() => [LoadedPart], { nullable: true, description: 'All parts of the release; null if the county was loaded as a whole.' })
  parts: LoadedPart[] | null;

  @Field({ description: 'Whether the county was loaded as a whole, but records lie in less than half of its area.' })
  isPartial: boolean;

  @Field(() => Int, { nullable: true, description: "The version of the county's profile that it was made with; null if none was." })
  profileVersion: number | null;

  @Field()
  startedAt: Date;

  @Field(() => Date, { nullable: true, description: 'When the release was published; null if it never was.' })
  publishedAt: Date | null;

  @Field(() => Date, { nullable: true, description: 'When the load failed; null if it did not.' })
  failedAt: Date | null;

  @Field(() => String, { nullable: true, description: 'Why the load failed; null if it did not.' })
  failure: string | null;

  @Field(() => ReleaseReport, { nullable: true, description: 'Statistics and findings of the load; null if it failed.' })
  report: ReleaseReport | null;
}

@ObjectType()
export class ReleaseList {
  @Field(() => [Release], { description: 'Newest first.' })
  releases: Release[];

  @Field(() => Int, { description: 'The number of matching releases on all pages.' })
  total: number;
}

@ArgsType()
export class ReleasesArgs extends PageArgs {
  @Field(() => String, { nullable: true, description: "Part of the county's name, or the first digits of its FIPS code." })
  @Length(1, 100)
  @Matches(plainText, plainTextRule)
  search?: string | null;

  @Field(() => String, { nullable: true, description: 'A state as `Release.state` names it.' })
  @IsIn(releaseStates, { message: `must be one of ${releaseStates.join(', ')}` })
  state?: Release['state'] | null;
}

@ArgsType()
export class PublishReleaseArgs {
  @Field(() => Int)
  releaseId: number;

  @Field(() => [String], { defaultValue: [], description: 'The findings for which the release is held, all of them, by name.' })
  @ArrayMaxSize(100)
  @MaxLength(100, { each: true })
  accept: string[];
}

@ArgsType()
export class RollbackCountyArgs {
  @Field()
  fips: string;

  @Field(() => Int, { nullable: true, description: 'The current release as the operator saw it; null if there was none.' })
  from?: number | null;
}
