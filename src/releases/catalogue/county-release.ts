import { Field, Float, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'How full one field of the records is.' })
export class FieldFill {
  @Field({ description: 'As records name it.' })
  field: string;

  @Field(() => Float, { description: 'The share of records that have a value in it, from 0 to 1.' })
  share: number;
}

@ObjectType({ description: 'A part of a county, as a town, that has a source of its own.' })
export class CountyPart {
  @Field()
  name: string;

  @Field(() => Int)
  records: number;

  @Field()
  source: string;

  @Field(() => String, { nullable: true })
  sourceUrl: string | null;

  @Field(() => String, { nullable: true, description: 'The day the source data is of, as YYYY-MM-DD.' })
  sourceDate: string | null;
}

@ObjectType({ description: 'What can be read of a county now: everybody may know it before they buy.' })
export class CountyRelease {
  @Field(() => Int)
  records: number;

  @Field({ description: 'Whose data it is, of all parts.' })
  source: string;

  @Field(() => String, { nullable: true, description: 'Where it came from; null also if parts came from several places.' })
  sourceUrl: string | null;

  @Field(() => String, { nullable: true, description: 'The day the source data is of, as YYYY-MM-DD; of several parts the oldest.' })
  sourceDate: string | null;

  @Field(() => [CountyPart], { nullable: true, description: 'The parts that the county was loaded in; null: as a whole.' })
  parts: CountyPart[] | null;

  @Field()
  publishedAt: Date;

  @Field(() => [FieldFill], { nullable: true, description: 'Every field of the records in their order; null: not known.' })
  fillRates: FieldFill[] | null;
}
