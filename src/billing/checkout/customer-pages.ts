import type Stripe from 'stripe';
import { Field, ID, ObjectType } from 'type-graphql';
import type { SessionUser } from '../../core/context.js';
import { AppError } from '../../core/errors.js';
import { usd } from '../../ledger/money.js';
import { findPortal } from '../stripe/catalogue.js';
import { orMissing } from '../stripe/stripe-client.js';
import type { AccountSync } from '../subscriptions/account-sync.js';
import type { CustomerStore } from '../subscriptions/customer.store.js';
import { hasCustomer } from '../subscriptions/stripe-customers.js';

@ObjectType({ description: 'An invoice in Stripe.' })
export class Invoice {
  @Field(() => ID)
  id: string;

  @Field(() => String, { nullable: true, description: 'The invoice number; null for a draft.' })
  number: string | null;

  @Field({ description: 'draft, open, paid, uncollectible or void.' })
  status: string;

  @Field()
  createdAt: Date;

  @Field({ description: 'The total in US dollars, as a decimal string.' })
  totalUsd: string;

  @Field({ description: 'The amount paid in US dollars, as a decimal string.' })
  paidUsd: string;

  @Field(() => String, { nullable: true, description: 'The URL of the page where the invoice can be seen and paid; null for a draft.' })
  pageUrl: string | null;

  @Field(() => String, { nullable: true, description: 'The URL of the PDF; null for a draft.' })
  pdfUrl: string | null;
}

const maxInvoices = 36;

/** A customer's Stripe portal (card, address, cancellation) and invoices. */
export class CustomerPages {
  constructor(
    private readonly stripe: Stripe,
    private readonly customers: CustomerStore,
    private readonly accounts: AccountSync,
    private readonly baseUrl: string,
  ) {}

  /** @throws AppError subscription_required for an account without a Stripe customer */
  async portalUrl(user: SessionUser): Promise<string> {
    const customer = await this.customers.find(user.id);
    if (!hasCustomer(customer)) throw nothingToManage();
    const portal = await findPortal(this.stripe);
    if (!portal) throw new AppError('not_configured', 'The billing portal is not set up yet: run stripe setup.');
    const session = await orMissing(
      this.stripe.billingPortal.sessions.create({
        customer: customer.stripeCustomerId,
        configuration: portal.id,
        return_url: `${this.baseUrl}/console/billing`,
      }),
    );
    if (session) return session.url;
    // The customer was deleted in Stripe.
    await this.accounts.follow(user.id);
    throw nothingToManage();
  }

  /** Newest first. */
  async invoices(user: SessionUser): Promise<Invoice[]> {
    const customer = await this.customers.find(user.id);
    if (!hasCustomer(customer)) return [];
    const list = await orMissing(this.stripe.invoices.list({ customer: customer.stripeCustomerId, limit: maxInvoices }));
    return (list?.data ?? []).map((invoice) => ({
      id: invoice.id,
      number: invoice.number,
      status: invoice.status ?? 'draft',
      createdAt: new Date(invoice.created * 1000),
      totalUsd: usd(BigInt(invoice.total)),
      paidUsd: usd(BigInt(invoice.amount_paid)),
      pageUrl: invoice.hosted_invoice_url ?? null,
      pdfUrl: invoice.invoice_pdf ?? null,
    }));
  }
}

const nothingToManage = () => new AppError('subscription_required', 'There is nothing to manage before a first subscription.');
