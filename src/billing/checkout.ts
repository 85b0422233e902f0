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

/** Who will pay, of all that a session knows. */
type Payer = Pick<SessionUser, 'id' | 'email'>;

/** The way to a subscription: one Stripe customer an account, one open checkout at a time, one living subscription. */
export class Checkout {
  constructor(
    private readonly stripe: Stripe,
    private readonly customers: CustomerStore,
    private readonly subscriptions: SubscriptionStore,
    private readonly baseUrl: string,
    private readonly log: Logger,
  ) {}

  /**
   * Where the person pays. Calling again, even at the same moment, leads to the same page while it is open.
   * @throws AppError conflict when there is a living subscription or a payment under way, not_configured without right prices
   */
  async start(user: Payer): Promise<string> {
    if ((await this.subscriptions.ofAccount(user.id))?.isLive) throw subscribedAlready();
    const customer = await this.customerOf(user);
    const last = customer.checkoutSessionId ? await this.stripe.checkout.sessions.retrieve(customer.checkoutSessionId) : null;
    if (last?.status === 'open' && last.url) return last.url;
    if (last?.status === 'complete' && (await this.isUnderWay(last))) throw subscribedAlready();
    return this.open(user.id, customer);
  }

  /** The idempotency key makes parallel calls, and one that crashed half way, end with one customer. */
  private async customerOf({ id, email }: Payer): Promise<BillingCustomerEntity> {
    const known = await this.customers.find(id);
    if (known) return known;
    const params: Stripe.CustomerCreateParams = { email, metadata: { account_id: id } };
    const customer = await this.stripe.customers.create(params, { idempotencyKey: keyOf('customer', id, params), maxNetworkRetries: 4 });
    return this.customers.add(id, customer.id);
  }

  /** Whether what the checkout led to may still become, or is, a subscription that is paid for; its events may not be here yet. */
  private async isUnderWay({ subscription }: Stripe.Checkout.Session): Promise<boolean> {
    if (!subscription) return false;
    const { status } = await this.stripe.subscriptions.retrieve(idOf(subscription));
    return status !== 'canceled' && status !== 'incomplete_expired';
  }

  private async open(accountId: string, customer: BillingCustomerEntity): Promise<string> {
    const { plan, overage } = await this.rightPrices();
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
      // The checkout before is part of the key: whoever starts from the same state gets the same page.
      idempotencyKey: keyOf('checkout', customer.checkoutSessionId ?? accountId, params),
      maxNetworkRetries: 4,
    });
    await this.customers.rememberCheckout(accountId, session.id);
    return session.url!;
  }

  /** A price that says anything else than our plan does is never charged. */
  private async rightPrices(): Promise<{ plan: Stripe.Price; overage: Stripe.Price }> {
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

const subscribedAlready = () =>
  new AppError('conflict', 'This account is subscribed already. Manage the subscription in the billing portal.');

/** Stripe refuses a key that comes with other parameters, so they are part of it. */
const keyOf = (what: string, of: string, params: object): string =>
  `${what} ${of} ${createHash('sha256').update(JSON.stringify(params)).digest('hex').slice(0, 16)}`;
