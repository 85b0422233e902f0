import { Matches, Max, MaxLength, Min } from 'class-validator';
import { ArgsType, Field, Int } from 'type-graphql';
import { allOf } from './check-body.js';
import { plainText, plainTextRule } from './parameters.js';

/** How many rows, entries or days a list may have. */
export const Limit = (most: number, defaultValue = 50, description?: string): PropertyDecorator =>
  allOf(
    Max(most, { message: `must be ${most} or less` }),
    Min(1, { message: 'must be 1 or more' }),
    Field(() => Int, { defaultValue, ...(description && { description }) }),
  );

/** How many of them come before a page. */
export const Offset = (): PropertyDecorator =>
  allOf(
    Min(0, { message: 'must be 0 or more' }),
    Field(() => Int, { defaultValue: 0 }),
  );

/** A text to find in a list. */
export const IsSearch = (): PropertyDecorator => allOf(Matches(plainText, plainTextRule), MaxLength(200));

@ArgsType()
export class PageArgs {
  @Limit(500)
  limit: number;

  @Offset()
  offset: number;
}

/** A page of the rows in which a text is found, without regard to case. */
@ArgsType()
export class SearchedPageArgs extends PageArgs {
  @Field(() => String, { nullable: true, description: 'Text to find in what the list shows. Null finds all.' })
  @IsSearch()
  search?: string | null;
}
