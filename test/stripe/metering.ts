import type Stripe from 'stripe';
import { invalidRequest, missing } from './fault.js';
import type { MeterRecord, World } from './world.js';

const daySeconds = 24 * 3600;
const oldestSeconds = 35 * daySeconds;
const newestSeconds = 5 * 60;

/** Takes a usage event, or refuses it as Stripe does: duplicates by identifier are an error, not a silent success. */
export function takeMeterEvent(world: World, params: Stripe.Billing.MeterEventCreateParams): Stripe.Billing.MeterEvent {
  const now = world.clock.now();
  const meter = activeMeter(world, params.event_name);
  const timestamp = Number(params.timestamp ?? now);
  if (timestamp < now - oldestSeconds)
    throw invalidRequest('The timestamp must be within the past 35 calendar days.', { param: 'timestamp' });
  if (timestamp > now + newestSeconds)
    throw invalidRequest('The timestamp must not be more than 5 minutes in the future.', { param: 'timestamp' });
  const customer = params.payload[meter.customer_mapping.event_payload_key];
  if (!customer) throw invalidRequest('The payload misses the customer mapping key.', { param: 'payload' });
  world.customers.get(customer, 'payload[stripe_customer_id]');
  const value = params.payload[meter.value_settings.event_payload_key] ?? '';
  if (!/^-?\d+$/.test(value)) throw invalidRequest(`The payload's value must be a whole number, not '${value}'.`, { param: 'payload' });

  const identifier = params.identifier ?? `${now}-${world.usage.size}`;
  const known = world.usage.get(identifier);
  // After a day the identifier is free again, and the same usage would count twice.
  if (known && known.receivedAt > now - daySeconds) {
    throw invalidRequest(`An event already exists with identifier ${identifier}.`, { code: 'duplicate_meter_event' });
  }
  const event: Stripe.Billing.MeterEvent = {
    object: 'billing.meter_event',
    created: now,
    event_name: params.event_name,
    identifier,
    livemode: false,
    payload: params.payload,
    timestamp,
  };
  const record = { event, customer, value: Number(value), receivedAt: now, isCancelled: false };
  world.usage.set(known ? `${identifier} ${world.usage.size}` : identifier, record);
  return event;
}

/** Cancels a usage event of the last day. */
export function cancelMeterEvent(
  world: World,
  params: Stripe.Billing.MeterEventAdjustmentCreateParams,
): Stripe.Billing.MeterEventAdjustment {
  activeMeter(world, params.event_name);
  const identifier = params.cancel?.identifier ?? '';
  const record = world.usage.get(identifier);
  if (!record || record.event.event_name !== params.event_name) throw missing('meter event', identifier, 'cancel[identifier]');
  if (record.receivedAt <= world.clock.now() - daySeconds) {
    throw invalidRequest('Events can be cancelled within 24 hours of their receipt only.', { param: 'cancel[identifier]' });
  }
  if (record.isCancelled) throw invalidRequest(`The event with identifier ${identifier} is already cancelled.`);
  record.isCancelled = true;
  return {
    object: 'billing.meter_event_adjustment',
    cancel: { identifier },
    event_name: params.event_name,
    livemode: false,
    status: 'pending',
    type: 'cancel',
  };
}

/** One customer's usage between two times, the end excluded. */
export function sumUsage(
  world: World,
  meter: Stripe.Billing.Meter,
  customer: string,
  start: number,
  end: number,
  receivedBy = world.clock.now(),
): number {
  const counts = ({ event, isCancelled, ...record }: MeterRecord) =>
    event.event_name === meter.event_name &&
    !isCancelled &&
    record.customer === customer &&
    record.receivedAt <= receivedBy &&
    event.timestamp >= start &&
    event.timestamp < end;
  return [...world.usage.values()].filter(counts).reduce((sum, record) => sum + record.value, 0);
}

function activeMeter(world: World, eventName: string): Stripe.Billing.Meter {
  const meter = world.meters.all().find((one) => one.event_name === eventName && one.status === 'active');
  if (!meter) throw invalidRequest(`No active meter found for event name ${eventName}.`, { param: 'event_name' });
  return meter;
}
