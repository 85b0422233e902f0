import { setTimeout as sleep } from 'node:timers/promises';
import { catchUp } from './passing-time.js';
import { StripeStandIn } from './stand-in.js';

/** `npm run stripe:stand-in`: Stripe for the console without an account. Events go to the service as they happen. */
const port = Number(process.env.STAND_IN_PORT ?? 12111);
const service = process.env.SERVICE_URL ?? 'http://localhost:3000';

const stripe = new StripeStandIn();
stripe.deliveries.endpoint = `${service}/api/stripe/webhook`;
await stripe.listen(port);
console.log(`Stripe's stand-in on ${stripe.url}, its events go to ${stripe.deliveries.endpoint}. Start the service with

  STRIPE_SECRET_KEY=sk_test_stand_in STRIPE_API_URL=${stripe.url} STRIPE_WEBHOOK_SECRET=${stripe.deliveries.secret} npm start

and, once, with the same variables: npm run cli -- stripe setup`);

for (;;) {
  catchUp(stripe.world);
  for (const event of stripe.takeEvents()) await deliverPatiently(event);
  await sleep(500);
}

async function deliverPatiently(event: Parameters<typeof stripe.deliveries.deliver>[0]): Promise<void> {
  for (let wait = 1_000; wait <= 64_000; wait *= 2) {
    const status = await stripe.deliveries.deliver(event).catch((error: Error) => error.message);
    console.log(`${event.type} ${event.id}: ${status}`);
    if (status === 200) return;
    await sleep(wait);
  }
}
