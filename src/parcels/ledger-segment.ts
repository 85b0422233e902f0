import { Field, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'Records of one release with neighbouring ordinals. A release never changes, so this names them for good.' })
export class LedgerSegment {
  @Field(() => Int)
  releaseId: number;

  @Field()
  countyFips: string;

  @Field()
  countyName: string;

  @Field({ description: 'Two-letter postal code.' })
  state: string;

  @Field(() => Int)
  firstOrdinal: number;

  @Field(() => Int)
  count: number;

  @Field({ description: 'Whose data it is.' })
  sourceName: string;

  @Field(() => String, { nullable: true, description: 'The day the source data is of, as YYYY-MM-DD.' })
  sourceDate: string | null;
}
