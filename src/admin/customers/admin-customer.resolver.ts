import { Args, Authorized, Ctx, Mutation, Resolver } from 'type-graphql';
import { type Context, requireSession } from '../../core/context.js';
import { AccountLedgerEntry } from '../../usage/account-ledger.js';
import { AdjustBalanceArgs } from './admin-customer.args.js';
import type { AdminCustomerService } from './admin-customer.service.js';

/** Helping customers: what operators do that nobody else may. */
@Resolver()
export class AdminCustomerResolver {
  constructor(private readonly service: AdminCustomerService) {}

  @Authorized('admin')
  @Mutation(() => AccountLedgerEntry, {
    description: 'Adds credits to a balance or takes some away, by an entry with its reason. Soon after a sign-in only.',
  })
  adjustBalance(@Args() args: AdjustBalanceArgs, @Ctx() context: Context): Promise<AccountLedgerEntry> {
    return this.service.adjustBalance(requireSession(context), args);
  }
}
