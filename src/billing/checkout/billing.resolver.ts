import { Length, Matches } from 'class-validator';
import { Arg, Args, ArgsType, Authorized, Ctx, Field, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { requireOpenSession } from '../../accounts/sessions/session.store.js';
import { type Context, requireUser } from '../../core/context.js';
import { AppError } from '../../core/errors.js';
import { visibleText, visibleTextRule } from '../../core/parameters.js';
import { usd } from '../../ledger/money.js';
import { plans } from '../../ledger/plans.js';
import { PeriodCap, RecordsCap } from '../../tokens/token.args.js';
import { IssuedToken } from '../../tokens/token.js';
import type { TokenStore } from '../../tokens/token.store.js';
import { orUnavailable } from '../stripe/stripe-errors.js';
import type { AccountSync } from '../subscriptions/account-sync.js';
import { PaidPlan, Subscription } from '../subscriptions/subscription.js';
import type { SubscriptionStore } from '../subscriptions/subscription.store.js';
import { type Bills, Invoice, NextBill } from './bills.js';
import type { Checkout } from './checkout.js';

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

/** The services that need a Stripe key. */
export interface StripeServices {
  checkout: Checkout;
  accounts: AccountSync;
}

@Resolver(() => Subscription)
export class BillingResolver {
  /** @param services null without a Stripe key */
  constructor(
    private readonly services: StripeServices | null,
    private readonly subscriptions: SubscriptionStore,
    private readonly bills: Bills,
    private readonly tokens: TokenStore,
  ) {}

  @Query(() => PaidPlan)
  paidPlan(): PaidPlan {
    const { priceCents, includedRecords, overageUnitCents } = plans.paid;
    const isConfigured = this.services !== null;
    return { priceUsd: usd(BigInt(priceCents)), includedRecords, overageUsd: usd(BigInt(overageUnitCents)), isConfigured };
  }

  @Authorized('user')
  @Query(() => Subscription, { nullable: true })
  async subscription(@Ctx() context: Context): Promise<Subscription | null> {
    const { id } = requireUser(context);
    await this.followUnlessPaid(id);
    return this.subscriptions.ofAccount(id);
  }

  @FieldResolver(() => NextBill, { nullable: true, description: 'Null if nothing remains to be paid. Stripe takes seconds to answer.' })
  nextBill(@Root() subscription: Subscription): Promise<NextBill | null> {
    return this.bills.next(subscription);
  }

  @Authorized('user')
  @Query(() => [Invoice], { description: "The account's invoices, newest first." })
  invoices(@Ctx() context: Context): Promise<Invoice[]> {
    return orUnavailable(this.bills.invoices(requireUser(context).id));
  }

  @Authorized('admin')
  @Query(() => [Invoice], { description: 'The same of any account, for operators.' })
  accountInvoices(@Arg('accountId', () => ID) accountId: string): Promise<Invoice[]> {
    return orUnavailable(this.bills.invoices(accountId));
  }

  @Authorized('user')
  @Query(() => String, {
    nullable: true,
    description: 'The overage cap chosen at the last checkout, or else the default one, in US dollars, as a decimal string; null for none.',
  })
  async checkoutCapUsd(@Ctx() context: Context): Promise<string | null> {
    const records = await this.services?.checkout.suggestedCap(requireUser(context).id);
    return records == null ? null : usd(BigInt(records) * BigInt(plans.paid.overageUnitCents));
  }

  @Authorized('user')
  @Mutation(() => String, { description: 'Starts a checkout, or returns the open one. Returns the URL of the payment page.' })
  startCheckout(@Ctx() context: Context, @Args() { overageCap }: CheckoutArgs): Promise<string> {
    return orUnavailable(this.requireServices().checkout.start(requireUser(context), overageCap));
  }

  @Authorized('user')
  @Mutation(() => String, {
    description: "Returns the URL of Stripe's billing portal, where the customer changes the card, sees invoices and cancels.",
  })
  billingPortal(@Ctx() context: Context): Promise<string> {
    return orUnavailable(this.requireServices().checkout.portalUrl(requireUser(context).id));
  }

  @Authorized('user')
  @Mutation(() => IssuedToken, {
    description: "Issues a token that uses the subscription's balance. An account may have any number of them.",
  })
  async issuePaidToken(@Ctx() context: Context, @Args() { name, periodCap }: PaidTokenArgs): Promise<IssuedToken> {
    const { id } = requireUser(context);
    const balanceId = await this.requireLiveBalance(id);
    return this.tokens.issuePaid(id, balanceId, name, undefined, periodCap ?? null, (manager) => requireOpenSession(manager, context));
  }

  @Authorized('user')
  @Mutation(() => Int, { nullable: true, description: 'Limits the overage records of each period. Returns the limit.' })
  async setOverageCap(@Ctx() context: Context, @Args() { records }: OverageCapArgs): Promise<number | null> {
    const balanceId = await this.requireLiveBalance(requireUser(context).id);
    return this.subscriptions.setOverageCap(balanceId, records ?? null);
  }

  private async requireLiveBalance(accountId: string): Promise<string> {
    await this.followUnlessPaid(accountId);
    return this.subscriptions.requireLiveBalance(accountId);
  }

  /** Who has just paid does not wait for an event. */
  private async followUnlessPaid(accountId: string): Promise<void> {
    if (this.services && !(await this.subscriptions.hasPaidPeriod(accountId))) await this.services.accounts.followCheckout(accountId);
  }

  private requireServices(): StripeServices {
    if (!this.services) throw new AppError('not_configured', 'Paid plans are not configured on this server.');
    return this.services;
  }
}
