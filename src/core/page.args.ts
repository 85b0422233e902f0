import { Matches, Max, MaxLength, Min } from 'class-validator';
import { ArgsType, Field, Int } from 'type-graphql';
import { plainText, plainTextRule } from './parameters.js';

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

/** A page of the rows in which a text is found, without regard to case. */
@ArgsType()
export class SearchedPageArgs extends PageArgs {
  @Field(() => String, { nullable: true, description: 'Text to find in what the list shows. Null finds all.' })
  @MaxLength(200)
  @Matches(plainText, plainTextRule)
  search?: string | null;
}
