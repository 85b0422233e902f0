import type Stripe from 'stripe';
import { findCatalogue, findPortal, meterParams, overagePriceParams, planPriceParams, portalParams, productParams } from './catalogue.js';
import { catalogueFaults, portalFaults } from './catalogue-faults.js';

/** What `stripe setup` did, and the faults that it found and did not correct, a line each. */
export interface SetupReport {
  done: string[];
  faults: string[];
}

/**
 * Creates in Stripe what the paid plan needs and isn't there. Safe to repeat; what is there is checked and never changed.
 * @param hasAutomaticTax whether Stripe adds taxes to the bills
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
  const meter = await ensure('meter', found.meter, () => stripe.billing.meters.create(meterParams));
  const plan = await ensure(`price (plan)`, found.plan, () => stripe.prices.create(planPriceParams));
  const overage = await ensure('price (overage)', found.overage, () => stripe.prices.create(overagePriceParams(meter.id)));
  const portal = await ensure('portal configuration', await findPortal(stripe), () =>
    stripe.billingPortal.configurations.create(portalParams),
  );
  return { done, faults: [...catalogueFaults({ product, meter, plan, overage }, hasAutomaticTax), ...portalFaults(portal)] };
}
