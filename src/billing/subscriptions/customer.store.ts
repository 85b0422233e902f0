import type { DataSource, EntityManager } from 'typeorm';
import { BillingCustomerEntity } from './billing-customer.entity.js';
import { endIfClosed } from './subscription-sync.store.js';

/** The Stripe customer of each account, its last checkout, and the attempt to make either. */
export class CustomerStore {
  constructor(private readonly dataSource: DataSource) {}

  find(accountId: string): Promise<BillingCustomerEntity | null> {
    return this.customers.findOneBy({ accountId });
  }

  async findOrAdd(accountId: string): Promise<BillingCustomerEntity> {
    await this.customers.createQueryBuilder().insert().values({ accountId }).orIgnore().execute();
    return this.customers.findOneByOrFail({ accountId });
  }

  /**
   * The idempotency key for creating the account's customer or checkout.
   * @param seen the row as it was before the caller looked in Stripe
   * @returns null if another call has succeeded or failed since
   */
  async beginAttempt({ accountId, stripeCustomerId, checkoutSessionId, attempts }: BillingCustomerEntity): Promise<string | null> {
    const [attempt] = await this.dataSource.query<{ key: string | null }[]>('select begin_stripe_attempt($1, $2, $3, $4) as key', [
      accountId,
      stripeCustomerId,
      checkoutSessionId,
      attempts,
    ]);
    return attempt!.key;
  }

  /** The call with this key has certainly failed. The next needs a new key, since Stripe repeats even a 500 for a day. */
  async failAttempt(accountId: string, attemptKey: string): Promise<void> {
    await this.customers.update({ accountId, attemptKey }, { attemptKey: null });
  }

  /** The cap of the subscription that the account pays for next. */
  async chooseCap(accountId: string, chosenCap: number | null): Promise<void> {
    await this.customers.update({ accountId }, { chosenCap, capChosenAt: () => 'service_now()' });
  }

  /** The first of parallel calls wins. */
  async setCustomer(accountId: string, stripeCustomerId: string): Promise<void> {
    await this.customers
      .createQueryBuilder()
      .update({ stripeCustomerId, attemptKey: null, attempts: 0 })
      .where('accountId = :accountId and stripeCustomerId is null', { accountId })
      .execute();
  }

  /** @returns whether the account is still open; if not, the checkout is closed soon */
  async setCheckout(accountId: string, checkoutSessionId: string): Promise<boolean> {
    await this.customers.update({ accountId }, { checkoutSessionId, attemptKey: null, attempts: 0 });
    // If the account is closed after this check, its checkout is stored by then.
    return !(await endIfClosed(this.dataSource.manager, accountId, 0));
  }

  /** The checkout is over. */
  async forgetCheckout(accountId: string, checkoutSessionId: string): Promise<void> {
    await this.customers.update({ accountId, checkoutSessionId }, { checkoutSessionId: null });
  }

  private get customers() {
    return this.dataSource.getRepository(BillingCustomerEntity);
  }
}

/** @returns the account whose customer it was */
export async function forgetCustomer(manager: EntityManager, stripeCustomerId: string): Promise<string | null> {
  const customer = await manager.findOneBy(BillingCustomerEntity, { stripeCustomerId });
  if (!customer) return null;
  const { accountId } = customer;
  await manager.update(
    BillingCustomerEntity,
    { accountId },
    { stripeCustomerId: null, checkoutSessionId: null, attemptKey: null, attempts: 0 },
  );
  return accountId;
}
