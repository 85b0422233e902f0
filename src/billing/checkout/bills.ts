import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type Stripe from 'stripe';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { usd } from '../../ledger/money.js';
import { plans } from '../../ledger/plans.js';
import { itemParams } from '../overage/item-invoicer.js';
import { amountCents, itemsOfCustomer, type OverageDue, overageDue } from '../overage/overage-item.store.js';
import { isOfPlan, withAllLines } from '../stripe/invoices.js';
import { orMissing } from '../stripe/stripe-client.js';
import { messageOf } from '../stripe/stripe-errors.js';
import type { CustomerStore } from '../subscriptions/customer.store.js';
import { hasCustomer } from '../subscriptions/stripe-customers.js';
import type { Subscription } from '../subscriptions/subscription.js';

@ObjectType({ description: 'A line of an invoice. Together the lines are what the customer pays.' })
export class BillLine {
  @Field({ description: 'plan, overage, other, discount, tax, or balance: what is used of a credit that the customer has at Stripe.' })
  kind: 'plan' | 'overage' | 'other' | 'discount' | 'tax' | 'balance';

  @Field(() => String, { nullable: true, description: "Stripe's description." })
  description?: string | null;

  @Field(() => Date, { nullable: true, description: 'The period of the plan or the overage.' })
  periodStart?: Date;

  @Field(() => Date, { nullable: true })
  periodEnd?: Date;

  @Field(() => Int, { nullable: true, description: 'Overage records; negative for a credit.' })
  records?: number;

  @Field(() => String, { nullable: true, description: 'The price of each in US dollars, as a decimal string.' })
  unitUsd?: string;

  @Field({ description: 'The amount in US dollars, as a decimal string.' })
  amountUsd: string;
}

@ObjectType({ description: 'The next invoice, as far as it is known now.' })
export class NextBill {
  @Field({ description: 'When the current period ends.' })
  at: Date;

  @Field(() => [BillLine])
  lines: BillLine[];

  @Field({ description: 'What is to be paid in US dollars, as a decimal string.' })
  dueUsd: string;

  @Field({ description: "Whether Stripe's preview was there, so that coupons, credit and taxes are included." })
  isPreview: boolean;
}

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

  @Field(() => [BillLine])
  lines: BillLine[];

  @Field(() => String, { nullable: true, description: 'The URL of the page where the invoice can be seen and paid; null for a draft.' })
  pageUrl: string | null;

  @Field(() => String, { nullable: true, description: 'The URL of the PDF; null for a draft.' })
  pdfUrl: string | null;
}

interface BillsOptions {
  /** Null without a Stripe key. */
  stripe: Stripe | null;
  pool: Pool;
  customers: CustomerStore;
  log: Logger;
}

const maxInvoices = 36;
// A preview takes Stripe some seconds; the page shows everything else meanwhile.
const previewTimeoutMs = 10_000;

/** A customer's invoices, line by line, and the next one. */
export class Bills {
  constructor(private readonly options: BillsOptions) {}

  /** Newest first. */
  async invoices(accountId: string): Promise<Invoice[]> {
    const { stripe, pool, customers } = this.options;
    const customer = await customers.find(accountId);
    if (!stripe || !hasCustomer(customer)) return [];
    const list = await orMissing(stripe.invoices.list({ customer: customer.stripeCustomerId, limit: maxInvoices }));
    const invoices = await Promise.all((list?.data ?? []).map((one) => withAllLines(stripe, one)));
    const items = await itemsOfCustomer(pool, customer.stripeCustomerId);
    return invoices.map((invoice) => ({
      id: invoice.id,
      number: invoice.number,
      status: invoice.status ?? 'draft',
      createdAt: new Date(invoice.created * 1000),
      totalUsd: inDollars(invoice.total),
      paidUsd: inDollars(invoice.amount_paid),
      lines: linesOf(invoice, items),
      pageUrl: invoice.hosted_invoice_url ?? null,
      pdfUrl: invoice.invoice_pdf ?? null,
    }));
  }

  /** By Stripe's preview, with the overage that is not on an invoice yet. Null if nothing remains to be paid. */
  async next(subscription: Subscription): Promise<NextBill | null> {
    const { periodEnd, endsAt, stripeCustomerId } = subscription;
    const isRenewed = doesRenew(subscription);
    const unbilled = await overageDue(this.options.pool, stripeCustomerId);
    const due = unbilled.filter(({ unitCents }) => unitCents !== null).map((one, index) => ({ ...one, id: String(index) }));
    if (!isRenewed && due.length === 0) return null;
    const at = endsAt ?? periodEnd;
    const preview = await this.preview(subscription, due);
    if (preview) {
      const lines = linesOf(preview, new Map(due.map((item) => [item.id, item])));
      return { at, lines, dueUsd: inDollars(preview.amount_due), isPreview: true };
    }
    const planCents = isRenewed ? plans.paid.priceCents : 0;
    const plan: BillLine[] = planCents > 0 ? [{ kind: 'plan', amountUsd: inDollars(planCents) }] : [];
    const cents = due.reduce((sum, item) => sum + amountCents(item), planCents);
    return { at, lines: [...plan, ...due.map((item) => overageLine(item, amountCents(item)))], dueUsd: inDollars(cents), isPreview: false };
  }

  /** A subscription that ends has no next invoice: its overage comes on one of its own. */
  private async preview(subscription: Subscription, due: DueItem[]): Promise<Stripe.Invoice | null> {
    const { stripe, log } = this.options;
    const { id, stripeCustomerId: customer } = subscription;
    if (!stripe) return null;
    try {
      // Only overage needs its tax rates.
      const known = due.length > 0 ? await stripe.subscriptions.retrieve(id) : null;
      const params: Stripe.InvoiceCreatePreviewParams = {
        customer,
        ...(doesRenew(subscription) ? { subscription: id } : { automatic_tax: { enabled: known?.automatic_tax.enabled ?? false } }),
        invoice_items: due.map((item) => itemParams(item, known)),
      };
      return await withAllLines(stripe, await stripe.invoices.createPreview(params, { timeout: previewTimeoutMs, maxNetworkRetries: 0 }));
    } catch (error) {
      log.warn({ subscription: id, error: messageOf(error) }, 'Stripe gives no preview of the next bill, so it is shown without taxes');
      return null;
    }
  }
}

const doesRenew = ({ endsAt, hasEnded }: Subscription): boolean => endsAt === null && !hasEnded;

type DueItem = OverageDue & { id: string };

function linesOf(invoice: Stripe.Invoice, items: Map<string, OverageDue>): BillLine[] {
  const rest = [
    { kind: 'discount', cents: -sumOf(invoice.total_discount_amounts) },
    { kind: 'tax', cents: sumOf(invoice.total_taxes?.filter(({ tax_behavior }) => tax_behavior === 'exclusive')) },
    { kind: 'balance', cents: invoice.amount_due - invoice.total },
  ] as const;
  return [
    ...invoice.lines.data.map((line) => lineOf(line, items.get(line.metadata?.overage_item ?? ''))),
    ...rest.filter(({ cents }) => cents !== 0).map(({ kind, cents }) => ({ kind, amountUsd: inDollars(cents) })),
  ];
}

function lineOf(line: Stripe.InvoiceLineItem, item: OverageDue | undefined): BillLine {
  if (item) return overageLine(item, line.amount);
  const { description, period, amount } = line;
  const kind = isOfPlan(line) ? 'plan' : 'other';
  return { kind, description, ...inTimes(period.start, period.end), amountUsd: inDollars(amount) };
}

const overageLine = ({ records, unitCents, periodStartSeconds, periodEndSeconds }: OverageDue, cents: number): BillLine => ({
  kind: 'overage',
  records,
  unitUsd: inDollars(unitCents),
  ...inTimes(periodStartSeconds, periodEndSeconds),
  amountUsd: inDollars(cents),
});

const inTimes = (start: number, end: number) => ({ periodStart: new Date(start * 1000), periodEnd: new Date(end * 1000) });

const inDollars = (cents: number): string => usd(BigInt(cents));

const sumOf = (parts: { amount: number }[] | null | undefined): number => (parts ?? []).reduce((sum, { amount }) => sum + amount, 0);
