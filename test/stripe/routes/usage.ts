import type Stripe from 'stripe';
import { apiList } from '../api-list.js';
import { invalidRequest } from '../fault.js';
import { cancelMeterEvent, sumUsage, takeMeterEvent } from '../metering.js';
import type { Params, Route } from '../route.js';
import type { World } from '../world.js';

/** Meter events, cancellations and sums. */
export function usageRoutes(world: World): Route[] {
  return [
    {
      method: 'get',
      path: '/v1/billing/meters/:id/event_summaries',
      params: 'Billing/Meters.MeterListEventSummariesParams',
      answer: (params, id) => summaries(world, world.meters.get(id), params),
    },
    {
      method: 'post',
      path: '/v1/billing/meter_events',
      params: 'Billing/MeterEvents.MeterEventCreateParams',
      // Stripe's limit: one call at a time a customer and meter.
      locks: ({ event_name, payload }) => `${event_name} of ${payload?.stripe_customer_id}`,
      answer: (params) => takeMeterEvent(world, params),
    },
    {
      method: 'post',
      path: '/v1/billing/meter_event_adjustments',
      params: 'Billing/MeterEventAdjustments.MeterEventAdjustmentCreateParams',
      answer: (params) => cancelMeterEvent(world, params),
    },
  ];
}

function summaries(world: World, of: Stripe.Billing.Meter, params: Params) {
  const start = Number(params.start_time);
  const end = Number(params.end_time);
  if (start % 60 !== 0 || end % 60 !== 0) throw invalidRequest('Times must be aligned with minute boundaries.', { param: 'start_time' });
  if (end <= start) throw invalidRequest('end_time must be after start_time.', { param: 'end_time' });
  world.customers.get(params.customer, 'customer');
  const windowSeconds = { hour: 3600, day: 24 * 3600 }[params.value_grouping_window as 'hour' | 'day'] ?? end - start;
  // Stripe's sums lag behind its events.
  const addedUpTo = world.clock.now() - world.summaryLagSeconds;
  const data: Stripe.Billing.MeterEventSummary[] = [];
  for (let from = start; from < end; from += windowSeconds) {
    data.push({
      id: `mtrusg_${of.id}_${params.customer}_${from}`,
      object: 'billing.meter_event_summary',
      aggregated_value: sumUsage(world, of, params.customer, from, from + windowSeconds, addedUpTo),
      end_time: from + windowSeconds,
      livemode: false,
      meter: of.id,
      start_time: from,
    });
  }
  return apiList(`/v1/billing/meters/${of.id}/event_summaries`, data, params);
}
