import type Stripe from 'stripe';
import type { SessionUser } from '../context.js';
import { AppError } from '../errors.js';
import { usd } from '../usage/money.js';
import type { CustomerStore } from './customer.store.js';
import type { Invoice } from './invoice.js';

const maxInvoices = 36;

/** A customer's portal at Stripe (card, address, cancelling) and invoices. */
export class CustomerPages {
  constructor(
    private readonly stripe: Stripe,
    private readonly customers: CustomerStore,
    private readonly baseUrl: string,
  ) {}

  /** @throws AppError subscription_required for an account that never began a checkout */
  async portalUrl(user: SessionUser): Promise<string> {
    const customer = await this.customers.find(user.id);
    if (!customer) throw new AppError('subscription_required', 'There is nothing to manage before a first subscription.');
    const session = await this.stripe.billingPortal.sessions.create({
      customer: customer.stripeCustomerId,
      return_url: `${this.baseUrl}/console/billing`,
    });
    return session.url;
  }

  /** Newest first. */
  async invoices(user: SessionUser): Promise<Invoice[]> {
    const customer = await this.customers.find(user.id);
    if (!customer) return [];
    const { data } = await this.stripe.invoices.list({ customer: customer.stripeCustomerId, limit: maxInvoices });
    return data.map((invoice) => ({
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
