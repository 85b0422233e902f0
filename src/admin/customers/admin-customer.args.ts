import { IsInt, IsOptional, Matches, Max, Min, NotEquals } from 'class-validator';
import { ArgsType, Field, ID, Int } from 'type-graphql';
import { idempotencyKeyRule, idempotencyKeyText } from '../../core/parameters.js';

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
  reason: string;

  @Field(() => String, { nullable: true, description: 'The same correction under the same key is written once.' })
  @IsOptional()
  @Matches(idempotencyKeyText, { message: idempotencyKeyRule })
  idempotencyKey?: string | null;
}
