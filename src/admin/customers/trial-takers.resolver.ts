import type { Pool } from 'pg';
import { Authorized, Extensions, Field, ID, Int, ObjectType, Query, Resolver } from 'type-graphql';

@ObjectType({ description: 'An account that took several trials within 30 days.' })
export class TrialTaker {
  @Field(() => ID)
  accountId: string;

  @Field()
  email: string;

  @Field(() => Int)
  trials: number;

  @Field(() => Int, { description: 'Credits used of these trials.' })
  creditsUsed: number;

  @Field()
  latestAt: Date;
}

@ObjectType({ description: 'An IP address from which several trials were taken within a day, by one or more accounts.' })
export class TrialAddress {
  @Field()
  address: string;

  @Field(() => Int)
  trials: number;
}

@ObjectType({ description: 'Accounts and IP addresses with repeated trials, most trials first; at most 50 of each.' })
export class TrialTakers {
  @Field(() => [TrialTaker])
  accounts: TrialTaker[];

  @Field(() => [TrialAddress])
  addresses: TrialAddress[];
}

/** Finds accounts and addresses that take trials repeatedly. In SQL, because both are sums. */
@Authorized('admin')
@Resolver()
export class TrialTakersResolver {
  constructor(private readonly pool: Pool) {}

  @Extensions({ rows: 50 })
  @Query(() => TrialTakers)
  async trialTakers(): Promise<TrialTakers> {
    const [accounts, addresses] = await Promise.all([
      this.pool.query<TrialTaker>(
        `select b.account_id as "accountId", u.email, count(*)::integer as trials,
                sum(greatest(0, b.grant_records - b.remaining))::integer as "creditsUsed", max(b.period_start) as "latestAt"
           from credit_balance b join auth."user" u on u.id = b.account_id
          where b.plan = 'trial' and b.period_start > service_now() - interval '30 days'
          group by b.account_id, u.email having count(*) > 1
          order by trials desc, "latestAt" desc limit 50`,
      ),
      this.pool.query<TrialAddress>(
        `select address, count(*)::integer as trials from auth.trial_taken where taken_at > service_now() - interval '1 day'
          group by address having count(*) > 1
          order by trials desc, address limit 50`,
      ),
    ]);
    return { accounts: accounts.rows, addresses: addresses.rows };
  }
}
