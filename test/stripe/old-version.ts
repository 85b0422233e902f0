import type Stripe from 'stripe';

/** The event as sent to an endpoint from 2024, before invoices had a parent and items a period. */
export function asOf2024(event: Stripe.Event): Stripe.Event {
  const object = structuredClone(event.data.object) as unknown as Record<string, unknown>;
  if (object.object === 'invoice') {
    const { parent, ...invoice } = object as unknown as Stripe.Invoice;
    return withObject(event, { ...invoice, subscription: parent?.subscription_details?.subscription ?? null });
  }
  if (object.object === 'subscription') {
    const subscription = object as unknown as Stripe.Subscription;
    const [item] = subscription.items.data;
    const period = { current_period_start: item?.current_period_start, current_period_end: item?.current_period_end };
    for (const one of subscription.items.data) Object.assign(one, { current_period_start: undefined, current_period_end: undefined });
    return withObject(event, { ...subscription, ...period });
  }
  return withObject(event, object);
}

const withObject = (event: Stripe.Event, object: object) => ({ ...event, api_version: '2024-06-20', data: { object } }) as Stripe.Event;
