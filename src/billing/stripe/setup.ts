import type Stripe from 'stripe';
import {
  type Catalogue,
  catalogueFaults,
  findCatalogue,
  findPortal,
  overageProductParams,
  planPriceParams,
  portalFaults,
  portalParams,
  productParams,
} from './catalogue.js';

/** The result of `stripe setup`, and the faults that it found and did not correct: one line each. */
export interface SetupReport {
  done: string[];
  faults: string[];
}

/**
 * Creates what the paid plan needs in Stripe. Safe to repeat: existing objects are checked and never changed.
 * @param hasAutomaticTax whether Stripe adds taxes to invoices
 */
export async function setUpStripe(stripe: Stripe, hasAutomaticTax: boolean): Promise<SetupReport> {
  const done: string[] = [];
  const ensure = async <T extends { id: string }>(kind: string, found: T | undefined, create: () => Promise<T>): Promise<T> => {
    const object = found ?? (await create());
    done.push(`${found ? 'found' : 'created'} ${kind} ${object.id}`);
    return object;
  };
  const found = await findCatalogue(stripe);
  const product = await ensure('product', found.product, () => stripe.products.create(productParams));
  const overage = await ensure('product (overage)', found.overage, () => stripe.products.create(overageProductParams));
  const plan = await ensure('price (plan)', found.plan, () => stripe.prices.create(planPriceParams));
  const portal = await ensure('portal configuration', await findPortal(stripe), () =>
    stripe.billingPortal.configurations.create(portalParams),
  );
  const sold = { product, overage, plan: await withCurrencies(stripe, plan) };
  return { done, faults: [...catalogueFaults(sold, hasAutomaticTax), ...portalFaults(portal)] };
}

/** Stripe sends a price's currencies only if expanded. */
const withCurrencies = async (stripe: Stripe, plan: Stripe.Price): Promise<Catalogue['plan']> =>
  stripe.prices.retrieve(plan.id, { expand: ['currency_options'] }).catch(() => plan);
