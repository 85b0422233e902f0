import { Field, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'Where a field of the records comes from.' })
export class MappedField {
  @Field()
  field: string;

  @Field(() => [String])
  columns: string[];

  @Field(() => [String], { description: 'Up to three different values as they would stand in records.' })
  samples: string[];
}

@ObjectType()
export class RowFault {
  @Field()
  reason: string;

  @Field(() => Int)
  rows: number;
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

  @Field(() => Int)
  sampledRows: number;

  @Field(() => [RowFault], { description: 'Sampled rows that would be rejected, by reason.' })
  faults: RowFault[];

  @Field(() => [String])
  warnings: string[];

  @Field(() => String, { nullable: true, description: 'Why the load would be refused without `force`; null: it would not.' })
  refusal: string | null;
}
