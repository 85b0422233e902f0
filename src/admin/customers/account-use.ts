import { IsIn, IsString } from 'class-validator';
import { ArgsType, Field, Int, ObjectType } from 'type-graphql';
import { Account } from '../../accounts/account.js';
import { IsSearch, PageArgs } from '../../core/page.args.js';

@ObjectType({ description: 'What an account uses in its present period, and what that costs: all its balances that may be read from.' })
export class AccountUse {
  @Field({ description: 'paid or trial.' })
  plan: string;

  @Field(() => Int, { description: 'Records used in the period: included ones, less those that an operator gave back, and overage.' })
  usedRecords: number;

  @Field(() => Int, { description: 'Records included in the period.' })
  includedRecords: number;

  @Field(() => String, {
    nullable: true,
    description: "The plan's price plus the overage so far, in US dollars, as a decimal string; null if nobody is billed.",
  })
  spendUsd: string | null;
}

@ObjectType()
export class AccountPage {
  @Field(() => [Account])
  accounts: Account[];

  @Field({ description: 'The number of matching accounts on all pages.' })
  total: number;
}

const plans = ['paid', 'trial', 'none'];
const sorts = ['newest', 'usage', 'spend'];

@ArgsType()
export class AccountSearchArgs extends PageArgs {
  @Field({ defaultValue: '', description: 'Part of an email address, a name or an id.' })
  @IsString()
  @IsSearch()
  search: string;

  @Field(() => String, { nullable: true, description: 'Only accounts with this plan: paid, trial or none.' })
  @IsIn(plans, { message: `must be one of ${plans.join(', ')}` })
  plan?: string | null;

  @Field({ defaultValue: 'newest', description: 'newest first; by usage or by spend in the present period, most first.' })
  @IsIn(sorts, { message: `must be one of ${sorts.join(', ')}` })
  sort: string;
}
