import type { Pool } from 'pg';
import { Arg, Authorized, Extensions, Field, ID, Int, ObjectType, Query, Resolver } from 'type-graphql';
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

@ObjectType({ description: "An account's subscription to the paid plan, in the state that Stripe reported last." })
export class AccountSubscription {
  @Field(() => ID, { description: "Stripe's id of the subscription." })
  id: string;

  @Field({ description: "Stripe's id of the paying customer." })
  stripeCustomerId: string;

  @Field({ description: "Stripe's status of the subscription." })
  status: string;

  @Field()
  periodStart: Date;

  @Field()
  periodEnd: Date;

  @Field(() => Date, { nullable: true, description: 'When the subscription ends or ended; null if it renews.' })
  endsAt: Date | null;

  @Field(() => Int, { nullable: true, description: "The customer's limit of overage records per period; null if there is none." })
  overageCap: number | null;
}

/** An account's payments and subscriptions, for operators. In SQL, because a charge has no entity and a cap is the balance's. */
@Resolver()
export class AccountBillingResolver {
  constructor(private readonly pool: Pool) {}

  @Authorized('admin')
  @Extensions({ rows: 20 })
  @Query(() => [AccountCharge], { description: "An account's payments that were refunded or disputed, newest first." })
  async accountCharges(@Arg('accountId', () => ID) accountId: string): Promise<AccountCharge[]> {
    const { rows } = await this.pool.query<AccountCharge>(
      `select id, amount_cents as "amountUsd", refunded_cents as "refundedUsd", is_disputed as "isDisputed", created_at as "createdAt"
         from billing_charge where account_id = $1 order by created_at desc, id limit 20`,
      [accountId],
    );
    return rows.map((row) => ({ ...row, amountUsd: usd(BigInt(row.amountUsd)), refundedUsd: usd(BigInt(row.refundedUsd)) }));
  }

  @Authorized('admin')
  @Extensions({ rows: 20 })
  @Query(() => [AccountSubscription], { description: "An account's subscriptions to the paid plan, newest first." })
  async accountSubscriptions(@Arg('accountId', () => ID) accountId: string): Promise<AccountSubscription[]> {
    const { rows } = await this.pool.query<AccountSubscription>(
      `select s.id, s.stripe_customer_id as "stripeCustomerId", s.status, s.period_start as "periodStart", s.period_end as "periodEnd",
              s.ends_at as "endsAt", b.overage_cap as "overageCap"
         from subscription s left join credit_balance b on b.id = s.balance_id
        where s.account_id = $1 order by s.created_at desc, s.id limit 20`,
      [accountId],
    );
    return rows;
  }
}
