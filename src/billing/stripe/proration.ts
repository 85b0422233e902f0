import type Stripe from 'stripe';

/** Whether a line of a bill is what the rest of a period costs more, or less, since the plan was changed within it: not the plan's own price. */
export const isProration = ({ parent }: Stripe.InvoiceLineItem): boolean =>
  (parent?.subscription_item_details ?? parent?.invoice_item_details)?.proration === true;
