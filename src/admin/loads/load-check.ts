import { Field, Int, ObjectType } from 'type-graphql';
import { RowFault } from './load-preview.js';

@ObjectType({ description: 'What a load would do, counted over all rows of its files.' })
export class LoadCheck {
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
