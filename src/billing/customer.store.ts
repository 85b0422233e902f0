import type { DataSource } from 'typeorm';
import { BillingCustomerEntity } from './billing-customer.entity.js';

/** Who an account is to Stripe, and the checkout it last began. */
export class CustomerStore {
  constructor(private readonly dataSource: DataSource) {}

  find(accountId: string): Promise<BillingCustomerEntity | null> {
    return this.customers.findOneBy({ accountId });
  }

  /** The first one stays, whoever comes second. */
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
