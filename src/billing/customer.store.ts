import type { DataSource } from 'typeorm';
import { BillingCustomerEntity } from './billing-customer.entity.js';

/** The Stripe customer of each account, and its last checkout. */
export class CustomerStore {
  constructor(private readonly dataSource: DataSource) {}

  find(accountId: string): Promise<BillingCustomerEntity | null> {
    return this.customers.findOneBy({ accountId });
  }

  /** Of parallel calls the first one's customer is kept. */
  async add(accountId: string, stripeCustomerId: string): Promise<BillingCustomerEntity> {
    await this.customers.createQueryBuilder().insert().values({ accountId, stripeCustomerId }).orIgnore().execute();
    return this.customers.findOneByOrFail({ accountId });
  }

  async rememberCheckout(accountId: string, checkoutSessionId: string): Promise<void> {
    await this.customers.update({ accountId }, { checkoutSessionId });
  }

  private get customers() {
    return this.dataSource.getRepository(BillingCustomerEntity);
  }
}
