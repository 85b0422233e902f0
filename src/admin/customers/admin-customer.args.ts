import { IsInt, IsOptional, Matches, Max, Min, NotEquals } from 'class-validator';
import { ArgsType, Field, ID, Int } from 'type-graphql';
import { idempotencyKeyRule, idempotencyKeyText } from '../../core/parameters.js';

const maxCredits = 1_000_000;

@ArgsType()
export class AdjustBalanceArgs {
  @Field(() => ID)
  balanceId: string;

  @Field(() => Int, { description: 'Credits to add; negative to deduct.' })
  @IsInt()
  @NotEquals(0, { message: 'must not be 0' })
  @Min(-maxCredits, { message: `must be ${-maxCredits} or more` })
  @Max(maxCredits, { message: `must be ${maxCredits} or less` })
  credits: number;

  @Field({ description: 'The reason, which the customer sees in the ledger.' })
  reason: string;

  @Field(() => String, { nullable: true, description: 'Makes retries safe: the same adjustment with the same key is written once.' })
  @IsOptional()
  @Matches(idempotencyKeyText, { message: idempotencyKeyRule })
  idempotencyKey?: string | null;
}
