import { IsIn, IsOptional, Matches, Max, MaxLength, Min } from 'class-validator';
import { ArgsType, Field, ID, Int } from 'type-graphql';
import { WhoseArgs } from '../whose.args.js';
import { type EntryKind, entryKinds } from './ledger-entry.js';

@ArgsType()
export class LedgerArgs extends WhoseArgs {
  @Field(() => ID, { nullable: true, description: 'Only what this token did.' })
  @IsOptional()
  @MaxLength(100)
  tokenId?: string | null;

  @Field(() => String, { nullable: true, description: 'grant, read, replay, reversal, expiry or adjustment.' })
  @IsOptional()
  @IsIn(entryKinds, { message: `must be one of ${entryKinds.join(', ')}` })
  kind?: EntryKind | null;

  @Field(() => String, { nullable: true, description: 'Only requests for this county, by its five-digit FIPS code.' })
  @IsOptional()
  @Matches(/^[0-9]{5}$/, { message: 'must be five digits' })
  countyFips?: string | null;

  @Field(() => Date, { nullable: true, description: 'Only from here on.' })
  from?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Only before this.' })
  to?: Date | null;

  @Field(() => Int, { defaultValue: 50 })
  @Min(1, { message: 'must be 1 or more' })
  @Max(1000, { message: 'must be 1000 or less' })
  limit: number;

  @Field(() => Int, { defaultValue: 0 })
  @Min(0, { message: 'must be 0 or more' })
  offset: number;
}
