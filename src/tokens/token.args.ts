import { IsInt, Length, Matches, Max, Min } from 'class-validator';
import { ArgsType, Field, ID, Int } from 'type-graphql';
import { AccountScopeArgs } from '../core/account-scope.args.js';
import { allOf } from '../core/check-body.js';
import { Limit, Offset } from '../core/page.args.js';
import { visibleText, visibleTextRule } from '../core/parameters.js';

/** An argument for a token's cap. */
export const PeriodCap = (): PropertyDecorator =>
  RecordsCap('The most records that the token is charged in a period, beside the limits of its plan; null for no cap of its own.');

/** An argument for a cap in records a period; null: no cap. */
export const RecordsCap = (description: string): PropertyDecorator =>
  allOf(
    Field(() => Int, { nullable: true, description }),
    IsInt(),
    Min(0),
    Max(1_000_000_000),
  );

const IsTokenName = (): PropertyDecorator => allOf(Matches(visibleText, visibleTextRule), Length(1, 80));

@ArgsType()
export class TokenNameArgs {
  @Field(() => String, { nullable: true, description: "The token's name, 1 to 80 characters." })
  @IsTokenName()
  name?: string | null;
}

@ArgsType()
export class RenameTokenArgs {
  @Field(() => ID)
  id: string;

  @Field({ description: "The token's new name, 1 to 80 characters." })
  @IsTokenName()
  name: string;
}

@ArgsType()
export class CapTokenArgs {
  @Field(() => ID)
  id: string;

  @PeriodCap()
  periodCap: number | null;
}

@ArgsType()
export class RevokeTokenArgs {
  @Field(() => ID)
  id: string;

  @Field(() => String, { nullable: true, description: 'For operators, who may revoke any token: the reason, kept in the activity log.' })
  reason?: string | null;
}

@ArgsType()
export class TokenPageArgs extends AccountScopeArgs {
  @Limit(500, 500)
  limit: number;

  @Offset()
  offset: number;
}
