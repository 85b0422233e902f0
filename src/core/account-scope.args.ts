import { Matches } from 'class-validator';
import { ArgsType, Field, ID } from 'type-graphql';
import { type Context, requireOperator, requireUser } from './context.js';
import { IsSearch } from './page.args.js';
import { plainText, plainTextRule } from './parameters.js';

/** The account scope of a list: one's own rows, or for operators those of another account or of all accounts. */
@ArgsType()
export class AccountScopeArgs {
  @Field(() => ID, { nullable: true, description: "For operators: this account instead of the caller's own." })
  @Matches(plainText, plainTextRule)
  accountId?: string | null;

  @Field(() => Boolean, { nullable: true, description: "For operators: all accounts instead of the caller's own." })
  everybody?: boolean | null;

  @Field(() => String, { nullable: true, description: "Text to find in ids, names and the accounts' email addresses." })
  @IsSearch()
  search?: string | null;
}

/**
 * The account whose rows are requested. Null: all accounts.
 * @throws AppError forbidden if the rows are not the caller's own and the caller is no operator
 */
export function scopeOf(
  context: Context,
  { accountId, everybody: allAccounts }: Pick<AccountScopeArgs, 'accountId' | 'everybody'>,
): string | null {
  const { id } = requireUser(context);
  if (!allAccounts && (!accountId || accountId === id)) return id;
  requireOperator(context);
  return allAccounts ? null : accountId!;
}

/** Finds the ids of the accounts whose email address contains a text. Provided by `accounts`. */
export type AccountsByEmail = (text: string) => Promise<string[]>;
