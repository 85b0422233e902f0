import type Stripe from 'stripe';
import type { Params } from '../route.js';
import { newId } from '../world.js';

/** Features that it does not name are off. A configuration made by the API is never the default. */
export function portalConfiguration(created: number, params: Params): Stripe.BillingPortal.Configuration {
  const { customer_update, invoice_history, payment_method_update, subscription_cancel, subscription_pause, subscription_update } =
    params.features;
  const isOn = (feature: { enabled?: unknown } | undefined) => String(feature?.enabled) === 'true';
  return {
    id: newId('bpc'),
    object: 'billing_portal.configuration',
    active: true,
    application: null,
    business_profile: { headline: null, privacy_policy_url: null, terms_of_service_url: null, ...params.business_profile },
    created,
    default_return_url: params.default_return_url ?? null,
    features: {
      customer_update: { allowed_updates: customer_update?.allowed_updates ?? [], enabled: isOn(customer_update) },
      invoice_history: { enabled: isOn(invoice_history) },
      payment_method_update: { enabled: isOn(payment_method_update), payment_method_configuration: null },
      subscription_cancel: {
        cancellation_reason: { enabled: false, feedback_options: null, options: [] },
        enabled: isOn(subscription_cancel),
        mode: subscription_cancel?.mode ?? 'at_period_end',
        proration_behavior: subscription_cancel?.proration_behavior ?? 'none',
      },
      subscription_pause: { duration: { interval_options: [], type: 'indefinite' }, enabled: isOn(subscription_pause) },
      subscription_update: {
        billing_cycle_anchor: null,
        default_allowed_updates: subscription_update?.default_allowed_updates ?? [],
        enabled: isOn(subscription_update),
        proration_behavior: subscription_update?.proration_behavior ?? 'none',
        schedule_at_period_end: { conditions: [] },
        trial_update_behavior: 'end_trial',
      },
    },
    is_default: false,
    livemode: false,
    login_page: { enabled: false, url: null },
    metadata: params.metadata ?? {},
    name: params.name ?? null,
    updated: created,
  };
}
