import type { Logger } from 'pino';
import type Stripe from 'stripe';
import { AppError } from '../../core/errors.js';
import { usd } from '../../ledger/money.js';
import { catalogueFaults, findCatalogue, findPortal } from '../stripe/catalogue.js';
import { createOnce, pausesOfCustomer } from '../stripe/create-once.js';
import { openInvoices } from '../stripe/invoices.js';
import { orMissing } from '../stripe/stripe-client.js';
import type { AccountSync } from '../subscriptions/account-sync.js';
import type { BillingCustomerEntity } from '../subscriptions/billing-customer.entity.js';
import type { CustomerStore } from '../subscriptions/customer.store.js';
import { type AccountWithCustomer, hasCustomer, type Payer, type StripeCustomers } from '../subscriptions/stripe-customers.js';
import type { SubscriptionStore } from '../subscriptions/subscription.store.js';

interface CheckoutOptions {
  stripe: Stripe;
  accounts: AccountSync;
  stripeCustomers: StripeCustomers;
  customers: CustomerStore;
  subscriptions: SubscriptionStore;
  baseUrl: string;
  /** The cap that is suggested, in records. */
  defaultCap: number | undefined;
  /** Whether Stripe adds taxes to invoices. */
  hasAutomaticTax: boolean;
  log: Logger;
}

/** Starts subscriptions, and leads to where they are managed. An account has one Stripe customer, and at most one open checkout and one subscription that has not ended. */
export class Checkout {
  constructor(private readonly options: CheckoutOptions) {}

  /**
   * Returns the address of the payment page. While the page is open, further and parallel calls return the same one.
   * @param overageCap records a period, for the subscription that is paid; null: no cap; undefined: as chosen before, at the first checkout the default
   * @throws AppError conflict with a subscription, a payment in progress or an open bill; not_configured if Stripe's catalogue
   * would bill wrongly; forbidden if the account was closed in the meantime
   */
  async start(payer: Payer, overageCap?: number | null): Promise<string> {
    const { accounts, customers, subscriptions, stripeCustomers, defaultCap } = this.options;
    await accounts.follow(payer.id);
    if (await subscriptions.hasUnended(payer.id)) throw alreadySubscribed();
    await this.refuseDebtor(payer.id);
    const lineItems = await this.correctLineItems();
    const customer = await stripeCustomers.ensure(payer);
    // Before there is a page: a payment may follow at once.
    const cap = overageCap === undefined && customer.checkoutSessionId === null ? defaultCap : overageCap;
    if (cap !== undefined) await customers.chooseCap(payer.id, cap);
    return this.open(customer, lineItems);
  }

  /** The cap that was chosen at the last checkout, or else the default, in records; null: none. */
  async suggestedCap(accountId: string): Promise<number | null> {
    const customer = await this.options.customers.find(accountId);
    return (customer?.capChosenAt ? customer.chosenCap : this.options.defaultCap) ?? null;
  }

  /**
   * The address of Stripe's portal, where the customer changes the card, sees invoices and cancels.
   * @throws AppError subscription_required for an account without a Stripe customer
   */
  async portalUrl(accountId: string): Promise<string> {
    const { stripe, customers, accounts, baseUrl } = this.options;
    const customer = await customers.find(accountId);
    if (!hasCustomer(customer)) throw nothingToManage();
    const portal = await findPortal(stripe);
    if (!portal) throw new AppError('not_configured', 'The billing portal is not set up yet: run stripe setup.');
    const { stripeCustomerId } = customer;
    const params = { customer: stripeCustomerId, configuration: portal.id, return_url: `${baseUrl}/console/billing` };
    const session = await orMissing(stripe.billingPortal.sessions.create(params));
    if (session) return session.url;
    // The customer was deleted in Stripe.
    await accounts.follow(accountId);
    throw nothingToManage();
  }

  /** Whichever bill of ours is open must be paid first. */
  private async refuseDebtor(accountId: string): Promise<void> {
    const { stripe, customers } = this.options;
    const customer = await customers.find(accountId);
    const open = hasCustomer(customer) ? await openInvoices(stripe, customer.stripeCustomerId) : [];
    if (open.length === 0) return;
    const { amount_remaining, hosted_invoice_url } = open[0]!;
    throw new AppError('conflict', `A bill of $${usd(BigInt(amount_remaining))} is open. Pay it first: ${hosted_invoice_url}`);
  }

  private open(
    { accountId, stripeCustomerId }: AccountWithCustomer,
    lineItems: Stripe.Checkout.SessionCreateParams.LineItem[],
  ): Promise<string> {
    const { stripe, customers } = this.options;
    const params = this.sessionParams(accountId, stripeCustomerId, lineItems);
    let seen: BillingCustomerEntity;
    const keep = async ({ id, url }: Stripe.Checkout.Session): Promise<string> => {
      if (!(await customers.setCheckout(accountId, id))) throw new AppError('forbidden', 'This account is closed.');
      return url!;
    };
    return createOnce<string>(
      {
        find: async () => {
          seen = await customers.findOrAdd(accountId);
          const last = seen.checkoutSessionId ? await stripe.checkout.sessions.retrieve(seen.checkoutSessionId) : null;
          if (last?.status === 'open') return last.url;
          // It was paid after `start` fetched the subscriptions.
          if (last?.status === 'complete') throw alreadySubscribed();
          const made = seen.attempts > 0 ? await this.openSession(accountId, stripeCustomerId) : undefined;
          return made ? keep(made) : null;
        },
        begin: () => customers.beginAttempt(seen),
        create: async (options) => keep(await stripe.checkout.sessions.create(params, options)),
        giveUp: (attemptKey) => customers.failAttempt(accountId, attemptKey),
      },
      pausesOfCustomer,
    );
  }

  /** A page that exists although the call that created it failed. */
  private async openSession(accountId: string, customer: string): Promise<Stripe.Checkout.Session | undefined> {
    const { data } = await this.options.stripe.checkout.sessions.list({ customer, status: 'open', limit: 100 });
    return data.find(({ client_reference_id, mode, url }) => client_reference_id === accountId && mode === 'subscription' && url);
  }

  private sessionParams(
    accountId: string,
    customer: string,
    lineItems: Stripe.Checkout.SessionCreateParams.LineItem[],
  ): Stripe.Checkout.SessionCreateParams {
    const { baseUrl, hasAutomaticTax } = this.options;
    return {
      mode: 'subscription',
      customer,
      client_reference_id: accountId,
      line_items: lineItems,
      // The price may have other currencies, but overage is counted in US dollars.
      currency: 'usd',
      success_url: `${baseUrl}/console/billing?checkout=done`,
      cancel_url: `${baseUrl}/console/billing?checkout=cancelled`,
      subscription_data: { metadata: { account_id: accountId } },
      // Taxes depend on the address that the customer enters while paying.
      ...(hasAutomaticTax && { automatic_tax: { enabled: true }, customer_update: { address: 'auto' } }),
    };
  }

  /** @throws AppError not_configured if Stripe's product or price differs from the plan: customers would be billed wrongly */
  private async correctLineItems(): Promise<Stripe.Checkout.SessionCreateParams.LineItem[]> {
    const { stripe, hasAutomaticTax, log } = this.options;
    const catalogue = await findCatalogue(stripe);
    const faults = catalogueFaults(catalogue, hasAutomaticTax);
    if (faults.length > 0) {
      log.error({ faults }, 'the catalogue in Stripe differs from the plan: run stripe setup');
      throw new AppError('not_configured', `The paid plan is not set up correctly, so it is not sold now: ${faults.join('; ')}.`);
    }
    return [{ price: catalogue.plan!.id, quantity: 1 }];
  }
}

const nothingToManage = () => new AppError('subscription_required', 'There is nothing to manage before a first subscription.');

const alreadySubscribed = () => new AppError('conflict', 'This account already has a subscription. Manage it in the billing portal.');
