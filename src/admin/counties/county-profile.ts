import { Matches, MaxLength } from 'class-validator';
import { ArgsType, Field, ID, Int, ObjectType } from 'type-graphql';
import { IsFips } from '../../core/parameters.js';
import { partPattern, partRule } from '../../releases/catalogue/parts.js';

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
