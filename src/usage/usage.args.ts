import { IsUUID } from 'class-validator';
import { ArgsType, Field, ID } from 'type-graphql';

/** What a fault of `cursor` is called, be it malformed or another token's. */
export const cursorRule = 'must be one that a Link header gave this token';

@ArgsType()
export class UsageArgs {
  @Field(() => ID, { nullable: true, description: 'The token to use when the caller is signed in by a session.' })
  tokenId?: string | null;

  @Field(() => String, { nullable: true, description: 'The `nextCursor` of the previous page; null for the latest entries.' })
  @IsUUID(undefined, { message: cursorRule })
  cursor?: string | null;
}
