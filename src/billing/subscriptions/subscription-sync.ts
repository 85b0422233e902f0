import type { Logger } from 'pino';
import type Stripe from 'stripe';
import type { EntityManager } from 'typeorm';
import { banConsequencesSeconds } from '../../jobs/account-events.js';
import { usd } from '../../ledger/money.js';
import { billSoon, followSoon } from '../billing-jobs.js';
import { isCollectionAbandoned, isOverageInvoice, openInvoices, subscriptionOf, withAllLines } from '../stripe/invoices.js';
import { idOf } from '../stripe/stripe-client.js';
import { type LedgerHead, ledgerHeadQuery, writeLedgerField } from './ledger-field.js';
import { hasEnded, isInvoiceOf, isLive, paidUntilSeconds, plannedEndSeconds, readSubscription } from './subscription-reading.js';
import {
  endIfClosed,
  endUnknown,
  findOwner,
  followSubscription,
  followUnpaidBill,
  lockSubscription,
  openBalance,
  type SubscriptionTerms,
  saveSubscription,
  unendedSubscriptions,
} from './subscription-sync.store.js';

const retrySeconds = 60;

/** Updates our copy of a subscription, and its balance, to Stripe's present state. */
export class SubscriptionSync {
  constructor(
    private readonly stripe: Stripe,
    private readonly log: Logger,
  ) {}

  /** Locks before it fetches, so of two servers that follow one subscription, the last writer fetched last. */
  async follow(manager: EntityManager, subscriptionId: string): Promise<void> {
    await lockSubscription(manager, subscriptionId);
    const subscription = await this.retrieve(subscriptionId);
    const reading = readSubscription(subscription);
    const owner = await findOwner(manager, subscriptionId, idOf(subscription.customer));
    // The Stripe account may have other products and customers. A known subscription is followed even if its items change.
    if (!owner || !(owner.isKnown || reading.isOurs)) return;

    const { plan } = reading;
    const unpaid = owner.unpaidBill === null ? [] : await this.unpaidOverage(subscription);
    const warnings = [
      ...reading.warnings,
      ...(await this.overlaps(manager, owner.accountId, subscription)),
      ...unpaid.flatMap(warningOfUnpaid),
    ];
    const terms = termsOf(subscription, plan, warnings);
    if (terms.warning && terms.warning !== owner.warning) {
      this.log.warn({ subscription: subscriptionId, account: owner.accountId }, `a subscription in Stripe is odd: ${terms.warning}`);
    }
    // Before any write: if Stripe loses the object meanwhile, the event is ignored and its transaction committed.
    const paidUntil = terms.isLive && plan ? await this.paidUntilSeconds(subscription, plan) : null;
    const isFieldMissing = await this.writeLedgerField(manager, subscription);
    const balanceId = await saveSubscription(manager, owner.accountId, terms);
    if (owner.unpaidBill !== null) {
      await followUnpaidBill(
        manager,
        subscriptionId,
        owner.unpaidBill,
        unpaid[0]?.hosted_invoice_url ?? null,
        unpaid.some(({ attempted }) => attempted),
      );
    }
    await billSoon(manager, terms.stripeCustomerId);
    if (isFieldMissing) await followSoon(manager, owner.accountId, { delaySeconds: retrySeconds });
    // A trial given to a running subscription is a free period; a first trial grants nothing.
    if (!balanceId && !hasEnded(terms.status) && (await endIfClosed(manager, owner.accountId, banConsequencesSeconds))) {
      this.log.warn({ subscription: subscriptionId, account: owner.accountId }, 'the subscription of a closed or banned account is ended');
      return;
    }
    if (balanceId) await followSubscription(manager, balanceId, terms, terms.isLive && terms.isTrial ? terms.periodEndSeconds : paidUntil);
    // A first invoice that is paid in the next period grants that one, as any paid invoice does.
    else if (paidUntil !== null && paidUntil >= terms.periodStartSeconds) await openBalance(manager, owner.accountId, terms, paidUntil);
  }

  /** A bank debit completes the checkout days before it is paid. No balance opens before that. */
  async followCheckout(manager: EntityManager, { mode, payment_status, subscription }: Stripe.Checkout.Session): Promise<void> {
    if (mode === 'subscription' && payment_status === 'paid' && subscription) await this.follow(manager, idOf(subscription));
  }

  private async retrieve(subscriptionId: string): Promise<Stripe.Subscription> {
    const subscription = await this.stripe.subscriptions.retrieve(subscriptionId, { expand: ['latest_invoice'] });
    const latest = subscription.latest_invoice as Stripe.Invoice | null;
    return { ...subscription, latest_invoice: latest && (await withAllLines(this.stripe, latest)) };
  }

  /** An account should have one subscription. */
  private async overlaps(manager: EntityManager, accountId: string, { id, status, customer }: Stripe.Subscription): Promise<string[]> {
    if (!isLive(status)) return [];
    const others = (await unendedSubscriptions(manager, accountId, idOf(customer))).filter((other) => other !== id);
    if (others.length === 0) return [];
    return [`its customer also has ${others.join(', ')}, and pays for each: end all but one`];
  }

  private async unpaidOverage({ id, customer }: Stripe.Subscription): Promise<Stripe.Invoice[]> {
    const bills = await openInvoices(this.stripe, idOf(customer));
    return bills.filter((bill) => isOverageInvoice(bill) && subscriptionOf(bill) === id);
  }

  /** A renewal's invoice is a draft for an hour. Runs before this transaction writes, so it names a committed head. */
  private async writeLedgerField(manager: EntityManager, { id, latest_invoice }: Stripe.Subscription): Promise<boolean> {
    const latest = latest_invoice as Stripe.Invoice | null;
    if (latest?.status !== 'draft') return false;
    const [head] = await manager.query<LedgerHead[]>(ledgerHeadQuery, [id]);
    return head !== undefined && writeLedgerField(this.stripe, latest, head, this.log);
  }

  /** Ends a subscription that Stripe does not know any more. */
  async forget(manager: EntityManager, subscriptionId: string): Promise<void> {
    await lockSubscription(manager, subscriptionId);
    const customer = await endUnknown(manager, subscriptionId);
    if (customer) await billSoon(manager, customer);
  }

  /** Usually the latest invoice is the period's. Otherwise it was made by hand, or an older one was paid first. */
  private async paidUntilSeconds({ id, latest_invoice }: Stripe.Subscription, plan: Stripe.SubscriptionItem): Promise<number | null> {
    const latest = latest_invoice as Stripe.Invoice | null; // expanded
    if (!latest) return null;
    if (isInvoiceOf(plan, latest) && latest.status === 'paid') return plan.current_period_end;
    const { data } = await this.stripe.invoices.list({ subscription: id, limit: 20 });
    return paidUntilSeconds(plan, await Promise.all(data.map((one) => withAllLines(this.stripe, one))));
  }
}

function warningOfUnpaid(bill: Stripe.Invoice): string[] {
  const name = `our bill ${bill.id} of $${usd(BigInt(bill.amount_remaining))}`;
  if (isCollectionAbandoned(bill)) return [`Stripe no longer tries to collect its overage, ${name}`];
  return bill.attempted ? [`its overage was not paid, ${name}, so it has no more until that is paid`] : [];
}

function termsOf(subscription: Stripe.Subscription, plan: Stripe.SubscriptionItem | undefined, warnings: string[]): SubscriptionTerms {
  // Without the plan it grants nothing; any item's period then informs operators.
  const { current_period_start, current_period_end } = plan ?? subscription.items.data[0]!;
  const live = isLive(subscription.status) && !subscription.pause_collection && plan !== undefined;
  return {
    id: subscription.id,
    stripeCustomerId: idOf(subscription.customer),
    status: subscription.status,
    isLive: live,
    isTrial: subscription.status === 'trialing',
    warning: warnings.join('; ') || null,
    createdSeconds: subscription.created,
    anchorSeconds: subscription.billing_cycle_anchor,
    periodStartSeconds: current_period_start,
    periodEndSeconds: current_period_end,
    endsAtSeconds: live ? plannedEndSeconds(subscription, current_period_end) : subscription.ended_at,
  };
}
