import { IsOptional, Matches, MaxLength } from 'class-validator';
import { ArgsType, Field, ID } from 'type-graphql';
import { type Context, requireOperator, requireUser } from './context.js';
import { plainText, plainTextRule } from './parameters.js';

/** Whose rows: the caller's own; for operators also those of another account or of all accounts. */
@ArgsType()
export class AccountScopeArgs {
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
 * The account whose rows to return; null: all accounts.
 * @throws AppError forbidden for other accounts, unless the caller is an operator
 */
export function accountAsked(
  context: Context,
  { accountId, everybody: allAccounts }: Pick<AccountScopeArgs, 'accountId' | 'everybody'>,
): string | null {
  const { id } = requireUser(context);
  if (!allAccounts && (!accountId || accountId === id)) return id;
  requireOperator(context);
  return allAccounts ? null : accountId!;
}

/** Finds the ids of accounts whose e-mail address contains a text. `accounts/` provides it. */
export type AccountsByEmail = (text: string) => Promise<string[]>;
