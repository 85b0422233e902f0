import type Stripe from 'stripe';
import { planProductId } from './catalogue.js';

/**
 * The lines of a bill for further records. Of our two prices the plan's is paid ahead: only the overage's line ends where the bill begins,
 * and what is paid or given back for the rest of a period, since the plan was changed within it.
 */
export const overageLinesOf = ({ lines, created }: Stripe.Invoice): Stripe.InvoiceLineItem[] =>
  lines.data.filter((line) => line.pricing?.price_details?.product === planProductId && line.period.end <= created && !isProration(line));

const isProration = ({ parent }: Stripe.InvoiceLineItem): boolean =>
  (parent?.subscription_item_details ?? parent?.invoice_item_details)?.proration === true;
