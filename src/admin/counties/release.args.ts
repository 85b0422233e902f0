import { ArrayMaxSize, IsIn, Matches, MaxLength } from 'class-validator';
import { ArgsType, Field, InputType, Int, ObjectType } from 'type-graphql';
import { SearchedPageArgs } from '../../core/page.args.js';
import { IsFips, plainLines, plainTextRule } from '../../core/parameters.js';
import type { CountyStatus } from '../../counties/county.js';
import { ParcelReleaseEntity } from '../../releases/catalogue/parcel-release.entity.js';

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

export type ShownReleaseState = (typeof releaseStates)[number];

@ObjectType()
export class ReleaseList {
  @Field(() => [ParcelReleaseEntity], { description: 'Newest first.' })
  releases: ParcelReleaseEntity[];

  @Field(() => Int, { description: 'The number of matching releases on all pages.' })
  total: number;
}

@ArgsType()
export class ReleasesArgs extends SearchedPageArgs {
  @Field(() => String, { nullable: true, description: 'A state as `Release.state` names it.' })
  @IsIn(releaseStates, { message: `must be one of ${releaseStates.join(', ')}` })
  state?: ShownReleaseState | null;
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
