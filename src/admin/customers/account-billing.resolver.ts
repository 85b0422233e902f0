import { Arg, Authorized, Extensions, Field, FieldResolver, ID, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import type { DataSource } from 'typeorm';
import { SubscriptionEntity } from '../../billing/subscriptions/subscription.entity.js';
import { CreditBalanceEntity } from '../../ledger/credit-balance.entity.js';
import { usd } from '../../ledger/money.js';

@ObjectType({ description: 'A payment of an account that was refunded or disputed.' })
export class AccountCharge {
  @Field(() => ID, { description: "Stripe's id of the charge." })
  id: string;

  @Field({ description: 'The amount paid, in US dollars, as a decimal string.' })
  amountUsd: string;

  @Field({ description: 'The amount refunded, in US dollars, as a decimal string.' })
  refundedUsd: string;

  @Field({ description: 'Whether the payment was disputed (a chargeback).' })
  isDisputed: boolean;

  @Field({ description: 'When the payment was made.' })
  createdAt: Date;
}

/** An account's payments and subscriptions, for operators. */
@Authorized('admin')
@Resolver(() => SubscriptionEntity)
export class AccountBillingResolver {
  constructor(private readonly dataSource: DataSource) {}

  @Extensions({ rows: 20 })
  @Query(() => [AccountCharge], { description: "An account's payments that were refunded or disputed, newest first." })
  async accountCharges(@Arg('accountId', () => ID) accountId: string): Promise<AccountCharge[]> {
    const rows = await this.dataSource.query<AccountCharge[]>(
      `select id, amount_cents as "amountUsd", refunded_cents as "refundedUsd", is_disputed as "isDisputed", created_at as "createdAt"
         from billing_charge where account_id = $1 order by created_at desc, id limit 20`,
      [accountId],
    );
    return rows.map((row) => ({ ...row, amountUsd: usd(BigInt(row.amountUsd)), refundedUsd: usd(BigInt(row.refundedUsd)) }));
  }

  @Extensions({ rows: 20 })
  @Query(() => [SubscriptionEntity], { description: "An account's subscriptions to the paid plan, newest first." })
  accountSubscriptions(@Arg('accountId', () => ID) accountId: string): Promise<SubscriptionEntity[]> {
    const order = { createdAt: 'DESC', id: 'ASC' } as const;
    return this.dataSource.getRepository(SubscriptionEntity).find({ where: { accountId }, order, take: 20 });
  }

  @FieldResolver(() => Int, { nullable: true, description: "The customer's limit of overage records per period; null if there is none." })
  async overageCap(@Root() { balanceId }: SubscriptionEntity): Promise<number | null> {
    const balance = balanceId && (await this.dataSource.getRepository(CreditBalanceEntity).findOneBy({ id: balanceId }));
    return balance ? balance.overageCap : null;
  }
}
