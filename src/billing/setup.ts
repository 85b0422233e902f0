import type Stripe from 'stripe';
import {
  findMeter,
  findPrices,
  meterParams,
  overagePriceParams,
  planPriceParams,
  planProductId,
  priceFaults,
  productParams,
} from './catalogue.js';

/** What `stripe setup` did, and the faults that it found and did not correct, a line each. */
export interface SetupReport {
  done: string[];
  faults: string[];
}

/** Creates in Stripe what the paid plan needs and isn't there. Safe to repeat; what is there is checked and never changed. */
export async function setUpStripe(stripe: Stripe): Promise<SetupReport> {
  const report: SetupReport = { done: [], faults: [] };
  await ensureProduct(stripe, report);
  const meter = await ensureMeter(stripe, report);
  const found = await findPrices(stripe);
  await ensurePrice(stripe, found.plan, planPriceParams, report);
  await ensurePrice(stripe, found.overage, overagePriceParams(meter.id), report);
  return report;
}

async function ensureProduct(stripe: Stripe, { done, faults }: SetupReport): Promise<void> {
  try {
    const product = await stripe.products.retrieve(planProductId);
    done.push(`found product ${product.id}`);
    if (!product.active) faults.push(`product ${product.id} is archived`);
  } catch (error) {
    if ((error as Stripe.errors.StripeError).code !== 'resource_missing') throw error;
    done.push(`created product ${(await stripe.products.create(productParams)).id}`);
  }
}

async function ensureMeter(stripe: Stripe, { done, faults }: SetupReport): Promise<Stripe.Billing.Meter> {
  const found = await findMeter(stripe);
  if (found) {
    done.push(`found meter ${found.id}`);
    if (found.default_aggregation.formula !== 'sum')
      faults.push(`meter ${found.id}: takes the ${found.default_aggregation.formula}, should sum`);
    return found;
  }
  const meter = await stripe.billing.meters.create(meterParams);
  done.push(`created meter ${meter.id}`);
  return meter;
}

async function ensurePrice(
  stripe: Stripe,
  found: Stripe.Price | undefined,
  params: Stripe.PriceCreateParams,
  { done, faults }: SetupReport,
): Promise<void> {
  if (found) {
    done.push(`found price ${found.id} (${found.lookup_key})`);
    faults.push(...priceFaults(found, params));
    return;
  }
  const price = await stripe.prices.create(params);
  done.push(`created price ${price.id} (${price.lookup_key})`);
}
