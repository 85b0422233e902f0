import { IsIn } from 'class-validator';
import DataLoader from 'dataloader';
import { Args, ArgsType, Authorized, Field, FieldResolver, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import type { DataSource } from 'typeorm';
import { Account } from '../../accounts/account.js';
import { SearchedPageArgs } from '../../core/page.args.js';
import { hasText } from '../../core/parameters.js';
import { usd } from '../../ledger/money.js';
import { plans } from '../../ledger/plans.js';
import { balanceRejection } from '../../tokens/token.store.js';

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

const planChoices = ['paid', 'trial', 'none'];
const orders: Record<string, string | null> = { newest: null, usage: 's.used', spend: 's.spend_cents' };
const sorts = Object.keys(orders);

@ArgsType()
export class AccountSearchArgs extends SearchedPageArgs {
  @Field(() => String, { nullable: true, description: 'Only accounts with this plan: paid, trial or none.' })
  @IsIn(planChoices, { message: `must be one of ${planChoices.join(', ')}` })
  plan?: string | null;

  @Field({ defaultValue: 'newest', description: 'newest first; by usage or by spend in the present period, most first.' })
  @IsIn(sorts, { message: `must be one of ${sorts.join(', ')}` })
  sort: string;
}

// From balances alone, so it is no more work however long the ledger is. A period that is due begins with the next read: nothing of it is
// used yet.
const useByAccount = `
  select b.account_id, min(b.plan) as plan, sum(b.grant_records)::integer as included, sum(p.used)::integer as used,
         sum(case when b.is_metered then ${plans.paid.priceCents} + p.overage::bigint * coalesce(b.overage_unit_cents, 0) end) as spend_cents
    from credit_balance b
   cross join lateral (
     select case when b.period_end > service_now() then greatest(0, b.grant_records - b.remaining) + b.overage_records else 0 end as used,
            case when b.period_end > service_now() then b.overage_records else 0 end as overage
   ) p
   where not b.is_closed and ${balanceRejection} is distinct from 'expired'`;

/** Accounts with what they use, for operators. */
@Authorized('admin')
@Resolver(() => Account)
export class AccountUseResolver {
  private readonly uses: DataLoader<string, AccountUse | null>;

  constructor(private readonly dataSource: DataSource) {
    // Not cached, because usage changes.
    this.uses = new DataLoader((ids) => this.usesOf(ids), { cache: false });
  }

  @Query(() => AccountPage)
  async accounts(@Args() { search, plan, sort, limit, offset }: AccountSearchArgs): Promise<AccountPage> {
    const query = this.dataSource
      .getRepository(Account)
      .createQueryBuilder('u')
      .where(search ? hasText(':search', 'u.email', 'u.name', 'u.id') : 'true', { search })
      .limit(limit)
      .offset(offset);
    const order = orders[sort];
    if (plan || order) query.leftJoin(`(${useByAccount} group by b.account_id)`, 's', 's.account_id = u.id');
    if (plan) query.andWhere(`coalesce(s.plan, 'none') = :plan`, { plan });
    if (order) query.orderBy(order, 'DESC', 'NULLS LAST');
    const [accounts, total] = await query.addOrderBy('u.createdAt', 'DESC').addOrderBy('u.id', 'ASC').getManyAndCount();
    return { accounts, total };
  }

  @FieldResolver(() => AccountUse, { nullable: true, description: 'What the account uses in its present period; null without a plan.' })
  use(@Root() { id }: Account): Promise<AccountUse | null> {
    return this.uses.load(id);
  }

  private async usesOf(ids: readonly string[]): Promise<(AccountUse | null)[]> {
    const rows = await this.dataSource.query<(AccountUse & { accountId: string })[]>(
      `select account_id as "accountId", plan, used as "usedRecords", included as "includedRecords", spend_cents::text as "spendUsd"
         from (${useByAccount} and b.account_id = any($1) group by b.account_id) s`,
      [ids],
    );
    const uses = new Map(rows.map((row) => [row.accountId, { ...row, spendUsd: row.spendUsd && usd(BigInt(row.spendUsd)) }]));
    return ids.map((id) => uses.get(id) ?? null);
  }
}
