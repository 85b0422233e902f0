import { Field, Float, Int, ObjectType } from 'type-graphql';
import type { ReleaseReport } from './release-report.js';

@ObjectType({ description: 'How many records have a value in a field.' })
export class FieldFill {
  @Field({ description: "The field's name in records." })
  field: string;

  @Field(() => Float, { description: 'The share of records that have a value in this field, from 0 to 1.' })
  share: number;
}

@ObjectType({ description: 'A part of a county (for example a town) with a source of its own.' })
export class CountyPart {
  @Field()
  name: string;

  @Field(() => Int)
  records: number;

  @Field()
  source: string;

  @Field(() => String, { nullable: true, description: 'The URL of the source data; null if not stated.' })
  sourceUrl: string | null;

  @Field(() => String, { nullable: true, description: 'The date of the source data, YYYY-MM-DD; null if unknown.' })
  sourceDate: string | null;
}

@ObjectType({ description: "A county's current release, as public information." })
export class CountyRelease {
  id: number;
  countyFips: string;
  countyName: string;
  state: string;
  /** How many records have a value in each field; null: unknown. */
  filled: ReleaseReport['filled'] | null;

  @Field(() => Int)
  records: number;

  @Field({ description: 'The publisher of the source data, of all parts.' })
  source: string;

  @Field(() => String, { nullable: true, description: 'The URL of the source data; null if unknown or if the parts have different ones.' })
  sourceUrl: string | null;

  @Field(() => String, { nullable: true, description: 'The terms under which the source may be used, of all parts; null if not stated.' })
  license: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The date of the source data, YYYY-MM-DD, the oldest of several parts; null if unknown.',
  })
  sourceDate: string | null;

  @Field(() => [CountyPart], { nullable: true, description: 'The parts of the county; null if it was loaded as a whole.' })
  parts: CountyPart[] | null;

  @Field()
  publishedAt: Date;

  @Field(() => Date, {
    nullable: true,
    description: 'When the source was last loaded again and no record had changed; null if it was not since the release was published.',
  })
  checkedAt: Date | null;

  @Field(() => String, {
    nullable: true,
    description: 'The date of the source data that was checked then, YYYY-MM-DD; null if not stated.',
  })
  checkedSourceDate: string | null;

  @Field(() => [FieldFill], { nullable: true, description: "All fields in the record's order; null if unknown." })
  fillRates: FieldFill[] | null;
}

/** The part that never changes. */
export type ReleaseDescription = Omit<CountyRelease, 'checkedAt' | 'checkedSourceDate' | 'fillRates'>;
