import { IsIn, IsInt, IsOptional, Length, Matches, Max, MaxLength, Min, NotEquals } from 'class-validator';
import { ArgsType, Field, ID, Int } from 'type-graphql';
import { PageArgs } from '../page.args.js';
import { plainLines, plainText, plainTextRule } from '../parameters.js';
import { type EntryKind, entryKinds } from '../usage/ledger-entry.js';

@ArgsType()
class SearchArgs extends PageArgs {
  @IsOptional()
  @MaxLength(200)
  @Matches(plainText, plainTextRule)
  @Field(() => String, { nullable: true })
  search?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only of this account.' })
  @IsOptional()
  @MaxLength(100)
  @Matches(plainText, plainTextRule)
  accountId?: string | null;
}

@ArgsType()
export class AllTokensArgs extends SearchArgs {}

@ArgsType()
export class AllLedgerArgs extends SearchArgs {
  @Field(() => String, { nullable: true, description: 'grant, read, replay, reversal, expiry or adjustment.' })
  @IsOptional()
  @IsIn(entryKinds, { message: `must be one of ${entryKinds.join(', ')}` })
  kind?: EntryKind | null;
}

@ArgsType()
export class RevokeAnyTokenArgs {
  @Field(() => ID)
  id: string;

  @Field({ description: 'Why; the audit log keeps it.' })
  @Length(1, 500)
  @Matches(plainLines, plainTextRule)
  reason: string;
}

const maxCredits = 1_000_000;

@ArgsType()
export class AdjustBalanceArgs {
  @Field(() => ID)
  balanceId: string;

  @Field(() => Int, { description: 'Credits to add; below zero to take away.' })
  @IsInt()
  @NotEquals(0, { message: 'must not be 0' })
  @Min(-maxCredits, { message: `must be ${-maxCredits} or more` })
  @Max(maxCredits, { message: `must be ${maxCredits} or less` })
  credits: number;

  @Field({ description: 'Why; the customer sees it in the ledger.' })
  @Length(1, 500)
  @Matches(plainLines, plainTextRule)
  reason: string;
}
