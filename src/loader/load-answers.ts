import { Field, Float, Int, ObjectType } from 'type-graphql';
import { MappedField } from '../releases/catalogue/release-comparison.js';
import type { CountyToLoad } from '../releases/lifecycle/county-lock.js';
import type { ReleaseCounts } from '../releases/lifecycle/release.store.js';
import type { MappableField } from './columns/fields.js';

// What a load would do, as the command line and the console say it. The loader imports only these types, so that it does without GraphQL.

/** Columns that a field might come from, for the operator to judge. */
@ObjectType('ColumnChoice')
export class Choice {
  @Field(() => [String])
  columns: string[];

  @Field()
  why: string;

  @Field(() => Float, { description: 'The share of sampled rows that have a value.' })
  filled: number;

  @Field(() => [String], { description: 'Up to three different values.' })
  samples: string[];
}

@ObjectType('ColumnQuestion', { description: 'A field that stays empty unless the operator says where it comes from.' })
export class Question {
  @Field(() => String)
  field: MappableField;

  @Field(() => [Choice], { description: 'The likeliest first; none if no column is called like the field.' })
  choices: Choice[];
}

@ObjectType()
export class PreviewedField extends MappedField {
  @Field(() => [String], { description: 'Up to three different values, as they would appear in records.' })
  samples: string[];
}

@ObjectType({ description: 'A column of the file, from the sampled rows.' })
export class ColumnSample {
  @Field()
  name: string;

  @Field(() => Float, { description: 'The share of rows that have a value, from 0 to 1.' })
  filled: number;

  @Field(() => [String], { description: 'Some of its values.' })
  samples: string[];
}

@ObjectType({ description: "The county's profile that a load uses." })
export class UsedProfile {
  @Field(() => Int)
  version: number;

  @Field(() => [String], { description: 'The options that it sets besides the mapping.' })
  options: string[];
}

@ObjectType()
export class RowFault {
  @Field()
  reason: string;

  @Field(() => Int)
  rows: number;
}

@ObjectType({ description: 'A pair of columns by which the tax roll can be joined to the shapes.' })
export class JoinPair {
  @Field({ description: 'The pair, as `joinOn` takes it.' })
  on: string;

  @Field(() => Int, { description: 'Sampled rows of the tax roll that match a sampled shape.' })
  matched: number;

  shapeColumn: string;
  rollColumn: string;
}

@ObjectType({ description: 'How the tax roll would be joined to the shapes.' })
export class JoinPreview extends JoinPair {
  @Field(() => Int, { description: 'Sampled rows of the tax roll.' })
  rollRows: number;

  @Field(() => [JoinPair], { description: 'All candidates, best first.' })
  pairs: JoinPair[];
}

@ObjectType({ description: 'How many rows of one file match the other.' })
export class JoinedSide {
  @Field(() => Int)
  rows: number;

  @Field(() => Int, { description: 'Rows that match none: each becomes a record of its own.' })
  unmatched: number;

  @Field(() => String, { nullable: true, description: 'The key of one of those.' })
  example: string | null;
}

@ObjectType({ description: 'How the tax roll and the shapes match, counted over all rows of both files.' })
export class JoinMatch {
  @Field(() => JoinedSide)
  shape: JoinedSide;

  @Field(() => JoinedSide)
  roll: JoinedSide;

  @Field(() => [String], { description: 'How the keys are written, as `joinKey` takes it. Empty if both files write them alike.' })
  spelling: string[];

  /** A spelling under which more rows would match. */
  proposal: string[] | null;
}

@ObjectType({ description: 'What a load would do, estimated from the first thousand rows.' })
export class LoadPreview {
  county: Pick<CountyToLoad, 'fips' | 'name' | 'state' | 'status'>;

  @Field()
  format: string;

  @Field()
  crs: string;

  @Field(() => Int)
  rowEstimate: number;

  @Field(() => [String], { description: 'The columns of the file.' })
  columns: string[];

  @Field(() => [String], { description: 'Columns that no field is read from.' })
  unused: string[];

  @Field(() => [ColumnSample])
  columnSamples: ColumnSample[];

  @Field(() => [String], { description: 'The fields that columns can be mapped to.' })
  fields: string[];

  @Field(() => UsedProfile, { nullable: true, description: 'Null if there is none, or if the load leaves it aside.' })
  profile: UsedProfile | null;

  @Field(() => [PreviewedField])
  mapping: PreviewedField[];

  @Field(() => [Question])
  questions: Question[];

  @Field(() => Int)
  sampledRows: number;

  @Field(() => JoinPreview, { nullable: true, description: 'Null without a tax roll.' })
  join: JoinPreview | null;

  @Field(() => [RowFault], { description: 'Sampled rows that would be rejected, by reason.' })
  faults: RowFault[];

  @Field(() => [String])
  warnings: string[];

  @Field(() => String, { nullable: true, description: 'Why the load would be refused without `force`; null if it would not.' })
  refusal: string | null;
}

@ObjectType({ description: 'What a load would do, counted over all rows of its files.' })
export class LoadCheck implements ReleaseCounts {
  @Field(() => Int, { description: 'With a tax roll, one for each of its rows and each shape without one.' })
  read: number;

  @Field(() => Int, { description: 'Rows that would become records.' })
  loaded: number;

  @Field(() => Int)
  rejected: number;

  @Field(() => [RowFault], { description: 'The most frequent reasons for rejections; at most 20.' })
  rejections: RowFault[];

  @Field(() => Int, { nullable: true, description: 'How many current records it would replace; null if there are none.' })
  replaces: number | null;

  @Field(() => [String], {
    description: 'Why the release would be held. The load also compares each record with the current one, and may find more.',
  })
  findings: string[];

  @Field(() => [String])
  warnings: string[];

  @Field(() => String, { nullable: true, description: 'Why the load would be refused; null if it would not.' })
  refusal: string | null;
}
