import type Stripe from 'stripe';
import {
  type Catalogue,
  findCatalogue,
  findOldMeter,
  findPortal,
  oldOverageLookupKey,
  planPriceParams,
  portalParams,
  productParams,
} from './catalogue.js';
import { catalogueFaults, portalFaults } from './catalogue-faults.js';

/** What `stripe setup` did, what is left over there, and the faults that it found and did not correct, a line each. */
export interface SetupReport {
  done: string[];
  leftOver: string[];
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
  const plan = await ensure('price (plan)', found.plan, () => stripe.prices.create(planPriceParams));
  const portal = await ensure('portal configuration', await findPortal(stripe), () =>
    stripe.billingPortal.configurations.create(portalParams),
  );
  const sold = { product, plan: await withCurrencies(stripe, plan) };
  return { done, leftOver: await leftOver(stripe), faults: [...catalogueFaults(sold, hasAutomaticTax), ...portalFaults(portal)] };
}

/** A price is told with its currencies where it is asked for them. */
const withCurrencies = async (stripe: Stripe, plan: Stripe.Price): Promise<Catalogue['plan']> =>
  stripe.prices.retrieve(plan.id, { expand: ['currency_options'] }).catch(() => plan);

/** What former releases had made and nothing uses any more: overage is billed by items of our own. */
async function leftOver(stripe: Stripe): Promise<string[]> {
  const meter = await findOldMeter(stripe);
  const { data } = await stripe.prices.list({ lookup_keys: [oldOverageLookupKey], limit: 10 });
  return [
    ...(meter ? [`meter ${meter.id} is not used any more: deactivate it a month after the upgrade`] : []),
    ...data.filter(({ active }) => active).map(({ id }) => `price ${id} (${oldOverageLookupKey}) is not used any more: archive it`),
  ];
}
