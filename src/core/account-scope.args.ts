import { IsOptional, Matches, MaxLength } from 'class-validator';
import { ArgsType, Field, ID } from 'type-graphql';
import { type Context, requireOperator, requireUser } from './context.js';
import { plainText, plainTextRule } from './parameters.js';

/** Whose rows are asked for: one's own, or with an operator's rights those of another account or of everybody. */
@ArgsType()
export class WhoseArgs {
  @Field(() => ID, { nullable: true, description: "For operators: this account's instead of one's own." })
  @IsOptional()
  @MaxLength(100)
  @Matches(plainText, plainTextRule)
  accountId?: string | null;

  @Field(() => Boolean, { nullable: true, description: "For operators: all accounts' instead of one's own." })
  everybody?: boolean | null;

  @Field(() => String, { nullable: true, description: 'Only what has this text in its id, its name or the e-mail address of its account.' })
  @IsOptional()
  @MaxLength(200)
  @Matches(plainText, plainTextRule)
  search?: string | null;
}

/**
 * The account whose rows are asked for; null: everybody's.
 * @throws AppError forbidden for what is not one's own, unless an operator asks
 */
export function accountAsked(context: Context, { accountId, everybody }: Pick<WhoseArgs, 'accountId' | 'everybody'>): string | null {
  const { id } = requireUser(context);
  if (!everybody && (!accountId || accountId === id)) return id;
  requireOperator(context);
  return everybody ? null : accountId!;
}

/** The ids of the accounts whose e-mail address contains a text; the room of accounts knows. */
export type AccountsByEmail = (text: string) => Promise<string[]>;
