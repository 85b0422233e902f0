import { Length, Matches } from 'class-validator';
import { ArgsType, Field } from 'type-graphql';
import { visibleText, visibleTextRule } from '../../core/parameters.js';
import { PeriodCap, RecordsCap } from '../../tokens/token.args.js';

@ArgsType()
export class PaidTokenArgs {
  @Field({ description: "The token's name, 1 to 80 characters." })
  @Length(1, 80)
  @Matches(visibleText, visibleTextRule)
  name: string;

  @PeriodCap()
  periodCap?: number | null;
}

@ArgsType()
export class OverageCapArgs {
  @RecordsCap('The most overage records per period; null for no limit. Reads beyond it are refused.')
  records: number | null;
}

@ArgsType()
export class CheckoutArgs {
  @RecordsCap(
    'The most overage records per period, from the first period on; null for no limit. If it is left out, that of the last subscription.',
  )
  overageCap?: number | null;
}
