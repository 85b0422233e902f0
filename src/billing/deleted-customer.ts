import type Stripe from 'stripe';

/**
 * Whether a customer is known to have been deleted in Stripe. Not so while Stripe does not answer, nor if it has never heard of the
 * customer: then the key may be another account's.
 */
export function isCustomerDeleted(stripe: Stripe, stripeCustomerId: string): Promise<boolean> {
  return stripe.customers.retrieve(stripeCustomerId).then(
    (customer) => customer.deleted === true,
    () => false,
  );
}
