import type Stripe from 'stripe';
import { planProductId } from './catalogue.js';
import { isProration } from './proration.js';

/**
 * The lines of a bill for further records. Of our two prices the plan's is paid ahead: only the overage's line ends where the bill begins,
 * and a proration of the period before.
 */
export const overageLinesOf = ({ lines, created }: Stripe.Invoice): Stripe.InvoiceLineItem[] =>
  lines.data.filter((line) => line.pricing?.price_details?.product === planProductId && line.period.end <= created && !isProration(line));
