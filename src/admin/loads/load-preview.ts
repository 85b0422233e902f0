import { Field, Float, Int, ObjectType } from 'type-graphql';
import type { JoinPreview as LoaderJoinPreview } from '../../loader/preview-load.js';

@ObjectType({ description: 'Where a field of the records comes from.' })
export class MappedField {
  @Field()
  field: string;

  @Field(() => [String])
  columns: string[];

  @Field(() => [String], { description: 'Up to three different values as they would stand in records.' })
  samples: string[];

  @Field({ description: 'Why it comes from there.' })
  why: string;

  @Field({ description: '`certain` or `likely`.' })
  sureness: string;
}

@ObjectType()
export class ColumnChoice {
  @Field(() => [String])
  columns: string[];

  @Field()
  why: string;

  @Field(() => Float, { description: 'The share of sampled rows that have a value.' })
  filled: number;

  @Field(() => [String], { description: 'Up to three different values.' })
  samples: string[];
}

@ObjectType({ description: 'A field that stays empty unless the operator says where it comes from.' })
export class ColumnQuestion {
  @Field()
  field: string;

  @Field(() => [ColumnChoice])
  choices: ColumnChoice[];
}

@ObjectType()
export class RowFault {
  @Field()
  reason: string;

  @Field(() => Int)
  rows: number;
}

@ObjectType({ description: 'Columns by which a tax roll may be tied to shapes.' })
export class JoinPair {
  @Field({ description: 'As `joinOn` names it.' })
  on: string;

  @Field(() => Int, { description: 'Sampled rows of the roll that meet a sampled shape.' })
  matched: number;
}

@ObjectType({ description: 'How the tax roll would be tied to the shapes.' })
export class JoinPreview extends JoinPair {
  @Field(() => Int, { description: 'Rows of the roll that were sampled.' })
  rollRows: number;

  @Field(() => [JoinPair], { description: 'What there is to choose from, the best first.' })
  pairs: JoinPair[];
}

@ObjectType({ description: 'What a load would do, judged by the first thousand rows.' })
export class LoadPreview {
  @Field()
  format: string;

  @Field()
  crs: string;

  @Field(() => Int)
  rowEstimate: number;

  @Field(() => [String], { description: 'Of the file.' })
  columns: string[];

  @Field(() => [MappedField])
  mapping: MappedField[];

  @Field(() => [ColumnQuestion])
  questions: ColumnQuestion[];

  @Field(() => Int)
  sampledRows: number;

  @Field(() => JoinPreview, { nullable: true })
  join: JoinPreview | null;

  @Field(() => [RowFault], { description: 'Sampled rows that would be rejected, by reason.' })
  faults: RowFault[];

  @Field(() => [String])
  warnings: string[];

  @Field(() => String, { nullable: true, description: 'Why the load would be refused without `force`; null: it would not.' })
  refusal: string | null;
}

export function toJoinPreview({ shapeColumn, rollColumn, matched, rollRows, pairs }: LoaderJoinPreview): JoinPreview {
  const onOf = (pair: { shapeColumn: string; rollColumn: string }) =>
    pair.shapeColumn === pair.rollColumn ? pair.shapeColumn : `${pair.shapeColumn}=${pair.rollColumn}`;
  return {
    on: onOf({ shapeColumn, rollColumn }),
    matched,
    rollRows,
    pairs: pairs.map((pair) => ({ on: onOf(pair), matched: pair.matched })),
  };
}
