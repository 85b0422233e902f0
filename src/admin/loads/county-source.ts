import { MaxLength, ValidateBy } from 'class-validator';
import { ArgsType, Field, Int, ObjectType } from 'type-graphql';
import { IsFips } from '../../core/parameters.js';
import { isSourceUrl, sourceUrlRule } from '../../loader/plan/load-options.js';

@ObjectType({ description: "Where a county's data can be fetched from." })
export class CountySource {
  @Field()
  url: string;

  @Field({ description: '`profile` if an operator named it or a load used it; `catalogue` if OpenAddresses lists it, unchecked.' })
  from: string;
}

@ArgsType()
export class CheckSourceArgs {
  @Field()
  @IsFips()
  fips: string;

  @Field({ description: 'The layer of an ArcGIS server, or a file.' })
  @MaxLength(2000)
  @ValidateBy({ name: 'isSourceUrl', validator: { validate: isSourceUrl } }, { message: sourceUrlRule })
  url: string;
}

@ObjectType({ description: 'What a source says of itself.' })
export class SourceState {
  @Field()
  answers: boolean;

  @Field(() => String, { nullable: true, description: 'Why data cannot be fetched from there; null if it can.' })
  problem: string | null;

  @Field(() => String, { nullable: true, description: "The layer's or file's name; null if it has none." })
  name: string | null;

  @Field(() => Int, { nullable: true, description: 'Null if it does not say.' })
  records: number | null;

  @Field(() => String, { nullable: true, description: 'The day of the last change, YYYY-MM-DD; null if it does not say.' })
  changedAt: string | null;
}
