import type Stripe from 'stripe';
import { planProductId } from './catalogue.js';

/** The lines of a bill for further records. Of our two prices the plan's is paid ahead: only the overage's line ends where the bill begins. */
export const overageLinesOf = ({ lines, created }: Stripe.Invoice): Stripe.InvoiceLineItem[] =>
  lines.data.filter(({ pricing, period }) => pricing?.price_details?.product === planProductId && period.end <= created);
