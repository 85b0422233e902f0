import { Args, Authorized, Ctx, Mutation, Resolver } from 'type-graphql';
import { type Context, requireSession } from '../../core/context.js';
import { AccountLedgerEntry } from '../../usage/account-ledger.js';
import { AdjustBalanceArgs } from './admin-customer.args.js';
import type { AdminCustomerService } from './admin-customer.service.js';

/** Corrections of customers' balances by operators. */
@Resolver()
export class AdminCustomerResolver {
  constructor(private readonly service: AdminCustomerService) {}

  @Authorized('admin')
  @Mutation(() => AccountLedgerEntry, {
    description: 'Adds credits to a balance or deducts some, by a ledger entry with a reason. Requires a recent sign-in.',
  })
  adjustBalance(@Args() args: AdjustBalanceArgs, @Ctx() context: Context): Promise<AccountLedgerEntry> {
    return this.service.adjustBalance(requireSession(context), args);
  }
}
