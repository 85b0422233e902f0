import { ArrayMaxSize, IsIn, IsOptional, Matches, MaxLength } from 'class-validator';
import { ArgsType, Field, InputType, Int, ObjectType } from 'type-graphql';
import { plainLines, plainTextRule } from '../../core/parameters.js';
import type { CountyStatus } from '../../counties/county.js';
import { ReleaseReport } from './release-report.js';

@InputType({ description: 'A county as the operator saw it. Nothing is changed where it is another by now.' })
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
  @Matches(/^[0-9]{5}$/, { message: 'must be five digits' })
  fips: string;

  @Field(() => CountySeen)
  seen: CountySeen;

  @Field(() => String, { nullable: true, description: 'planned or unavailable; unset: as it is.' })
  @IsOptional()
  @IsIn(['planned', 'unavailable'], { message: 'must be planned or unavailable; only a load sets loaded and loading' })
  status?: 'planned' | 'unavailable' | null;

  @Field(() => String, { nullable: true, description: 'For operators; null: none; unset: as it is.' })
  @IsOptional()
  @MaxLength(2000)
  @Matches(plainLines, plainTextRule)
  note?: string | null;
}

@ObjectType({ description: 'The part of a release that one load brought, of a county that is loaded in parts.' })
export class LoadedPart {
  @Field()
  name: string;

  @Field(() => Int, { description: 'The release by whose load its records came.' })
  loadedBy: number;

  @Field(() => Int)
  records: number;

  @Field()
  sourceName: string;

  @Field(() => String, { nullable: true, description: 'As YYYY-MM-DD.' })
  sourceDate: string | null;
}

@ObjectType({ description: 'One load of a county.' })
export class Release {
  @Field(() => Int)
  id: number;

  @Field()
  countyFips: string;

  @Field()
  countyName: string;

  @Field({ description: 'Two-letter postal code of the state that the county is in.' })
  countyState: string;

  @Field(() => String, {
    description:
      'current, previous (can be published again), loading, held (waits for a decision), failed, or pruned (its records are gone).',
  })
  state: 'current' | 'previous' | 'loading' | 'held' | 'failed' | 'pruned';

  @Field(() => String, { nullable: true, description: 'The part of the county that was loaded; null: all of it.' })
  part: string | null;

  @Field({ description: 'Whose data it is.' })
  sourceName: string;

  @Field(() => String, { nullable: true })
  sourceUrl: string | null;

  @Field(() => String, { nullable: true, description: 'The day the source data is of, as YYYY-MM-DD.' })
  sourceDate: string | null;

  @Field()
  format: string;

  @Field(() => Int, { description: 'Rows read are those loaded and those rejected.' })
  rowsRead: number;

  @Field(() => Int)
  rowsLoaded: number;

  @Field(() => Int)
  rowsRejected: number;

  @Field(() => Int, { description: 'Records of other parts, which it took over from the release before.' })
  recordsKept: number;

  @Field(() => [LoadedPart], { nullable: true, description: 'All parts that it has; null: it is of the whole county.' })
  parts: LoadedPart[] | null;

  @Field()
  startedAt: Date;

  @Field(() => Date, { nullable: true })
  publishedAt: Date | null;

  @Field(() => Date, { nullable: true })
  failedAt: Date | null;

  @Field(() => String, { nullable: true, description: 'Why it failed.' })
  failure: string | null;

  @Field(() => ReleaseReport, { nullable: true, description: 'What was found out of it; null where it failed.' })
  report: ReleaseReport | null;
}

@ArgsType()
export class PublishReleaseArgs {
  @Field(() => Int)
  releaseId: number;

  @Field(() => [String], { defaultValue: [], description: 'The names of all findings that hold it.' })
  @ArrayMaxSize(100)
  @MaxLength(100, { each: true })
  accept: string[];
}

@ArgsType()
export class RollbackCountyArgs {
  @Field()
  fips: string;

  @Field(() => Int, { nullable: true, description: 'The release that the operator saw as the current one; null: none was.' })
  from?: number | null;
}
