import type { Command } from 'commander';
import type Stripe from 'stripe';
import { AppError } from '../core/errors.js';
import { printJson } from '../core/printable.js';
import type { CliServices } from '../database/cli-services.js';
import { commandLine } from '../operator-log/record-action.js';

/** Imports lazily: Stripe's SDK and its users would cost all other commands a quarter of a second and 30 MB. */
export function registerBillingCommands(program: Command, services: CliServices): void {
  const stripe = program.command('stripe').description('manage the paid plan in Stripe');
  const print = (result: object, text: string) => (services.json ? printJson(result) : console.log(text));

  stripe
    .command('setup')
    .description(
      'create or find the product, the price and the customer portal, and print the webhook endpoint that is needed; safe to repeat; reports what is wrong, and does not use it',
    )
    .action(async () => {
      const { setUpStripe } = await import('./stripe/setup.js');
      const report = await setUpStripe(await requireStripe(services), services.config.stripeAutomaticTax);
      const { handledEventTypes } = await import('./webhook/event-handlers.js');
      const webhook = { url: `${services.config.baseUrl}/api/stripe/webhook`, events: handledEventTypes };
      const endpoint = [`create a webhook endpoint at ${webhook.url}, with its secret in STRIPE_WEBHOOK_SECRET, for`, ...webhook.events];
      print({ ...report, webhook }, [...report.done, endpoint.join('\n  ')].join('\n'));
      if (report.faults.length > 0)
        throw new AppError('conflict', `Stripe's catalogue differs from the plan:\n${report.faults.join('\n')}`);
    });

  stripe
    .command('events')
    .option('--limit <count>', 'how many', '20')
    .description("list Stripe's events, failed ones first")
    .action(async ({ limit }: { limit: string }) => {
      if (!/^\d{1,4}$/.test(limit)) throw new AppError('invalid_request', '--limit is a whole number up to 9999.');
      const { controlDataSource } = await services.database();
      const { WebhookEventStore } = await import('./webhook/stripe-event.store.js');
      const { events } = await new WebhookEventStore(controlDataSource).list({ limit: Number(limit), offset: 0 });
      const lines = events.map(({ id, type, state, receivedAt, error }) =>
        [receivedAt.toISOString(), state, id, type, error ?? ''].join('  '),
      );
      print(events, lines.join('\n') || 'No events received yet.');
    });

  stripe
    .command('replay')
    .argument('<event>', "the event's id, evt_…")
    .description('process a stored event again, such as one that failed')
    .action(async (event: string) => {
      const { config, log } = services;
      const { createBilling } = await import('./billing.js');
      const database = await services.database();
      const billing = createBilling({ config, database, log, isHeld: () => false });
      const { state, reason } = await billing.inbox.replay(event, commandLine);
      print({ event, state, reason }, `${event} is ${state}${reason === null ? '' : `: ${reason}`}`);
    });
}

async function requireStripe({ config }: CliServices): Promise<Stripe> {
  const { openStripe } = await import('./stripe/stripe-client.js');
  const stripe = openStripe(config);
  if (!stripe) throw new AppError('not_configured', 'Billing is off. Set STRIPE_SECRET_KEY.');
  return stripe;
}
