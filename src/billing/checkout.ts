import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type Stripe from 'stripe';
import type { SessionUser } from '../context.js';
import { AppError } from '../errors.js';
import type { BillingCustomerEntity } from './billing-customer.entity.js';
import { findMeter, findPrices, overagePriceParams, planPriceParams, priceFaults } from './catalogue.js';
import type { CustomerStore } from './customer.store.js';
import { idOf } from './stripe-id.js';
import type { SubscriptionStore } from './subscription.store.js';

/** What a checkout needs of the signed-in person. */
type Payer = Pick<SessionUser, 'id' | 'email'>;

/** Begins subscriptions. An account has one Stripe customer, at most one open checkout, and at most one live subscription. */
export class Checkout {
  constructor(
    private readonly stripe: Stripe,
    private readonly customers: CustomerStore,
    private readonly subscriptions: SubscriptionStore,
    private readonly baseUrl: string,
    private readonly log: Logger,
  ) {}

  /**
   * The address of the page where the person pays. While it is open, further calls return the same page, also parallel ones.
   * @throws AppError conflict when there is a live subscription or a payment under way, not_configured if the prices in Stripe are wrong
   */
  async start(user: Payer): Promise<string> {
    if ((await this.subscriptions.ofAccount(user.id))?.isLive) throw alreadySubscribed();
    const customer = await this.customerOf(user);
    const last = customer.checkoutSessionId ? await this.stripe.checkout.sessions.retrieve(customer.checkoutSessionId) : null;
    if (last?.status === 'open' && last.url) return last.url;
    if (last?.status === 'complete' && (await this.isUnderWay(last))) throw alreadySubscribed();
    return this.open(user.id, customer);
  }

  /** By the idempotency key parallel calls, and a call after a crash, get the same customer. */
  private async customerOf({ id, email }: Payer): Promise<BillingCustomerEntity> {
    const known = await this.customers.find(id);
    if (known) return known;
    const params: Stripe.CustomerCreateParams = { email, metadata: { account_id: id } };
    const customer = await this.stripe.customers.create(params, { idempotencyKey: keyOf('customer', id, params), maxNetworkRetries: 4 });
    return this.customers.add(id, customer.id);
  }

  /** Whether a completed checkout led to a subscription that is paid or may still be. Its events may not have arrived yet. */
  private async isUnderWay({ subscription }: Stripe.Checkout.Session): Promise<boolean> {
    if (!subscription) return false;
    const { status } = await this.stripe.subscriptions.retrieve(idOf(subscription));
    return status !== 'canceled' && status !== 'incomplete_expired';
  }

  private async open(accountId: string, customer: BillingCustomerEntity): Promise<string> {
    const { plan, overage } = await this.requireCorrectPrices();
    const params: Stripe.Checkout.SessionCreateParams = {
      mode: 'subscription',
      customer: customer.stripeCustomerId,
      client_reference_id: accountId,
      line_items: [{ price: plan.id, quantity: 1 }, { price: overage.id }],
      success_url: `${this.baseUrl}/console/billing?checkout=done`,
      cancel_url: `${this.baseUrl}/console/billing?checkout=cancelled`,
      subscription_data: { metadata: { account_id: accountId } },
    };
    const session = await this.stripe.checkout.sessions.create(params, {
      // The last checkout is part of the key, so that parallel calls get the same page and a later one gets a new page.
      idempotencyKey: keyOf('checkout', customer.checkoutSessionId ?? accountId, params),
      maxNetworkRetries: 4,
    });
    await this.customers.rememberCheckout(accountId, session.id);
    return session.url!;
  }

  /** The prices in Stripe, refused if they differ from our plan, so that nobody is charged another price. */
  private async requireCorrectPrices(): Promise<{ plan: Stripe.Price; overage: Stripe.Price }> {
    const [{ plan, overage }, meter] = await Promise.all([findPrices(this.stripe), findMeter(this.stripe)]);
    const faults =
      plan && overage && meter ? [...priceFaults(plan, planPriceParams), ...priceFaults(overage, overagePriceParams(meter.id))] : [];
    if (!plan || !overage || !meter || faults.length > 0) {
      this.log.error({ faults }, 'the prices in Stripe are missing or wrong: run stripe setup');
      throw new AppError('not_configured', 'The paid plan is not set up yet. Please come back later.');
    }
    return { plan, overage };
  }
}

const alreadySubscribed = () =>
  new AppError('conflict', 'This account is subscribed already. Manage the subscription in the billing portal.');

/** Stripe refuses a key that comes with other parameters, so they are part of it. */
const keyOf = (what: string, of: string, params: object): string =>
  `${what} ${of} ${createHash('sha256').update(JSON.stringify(params)).digest('hex').slice(0, 16)}`;
