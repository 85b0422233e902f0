import { Max, Min } from 'class-validator';
import { ArgsType, Field, Int } from 'type-graphql';

@ArgsType()
export class PageArgs {
  @Field(() => Int, { defaultValue: 50 })
  @Min(1, { message: 'must be 1 or more' })
  @Max(500, { message: 'must be 500 or less' })
  limit: number;

  @Field(() => Int, { defaultValue: 0 })
  @Min(0, { message: 'must be 0 or more' })
  offset: number;
}
