import type { Express, Response } from 'express';
import type { StripeStandIn } from './stand-in.js';

/** Stripe's hosted checkout and customer portal, as plain as can be: for trying the console without a Stripe account. */
export function addHostedPages(app: Express, stripe: StripeStandIn): void {
  app.get('/pay/:id', (request, response) => {
    const session = stripe.world.sessions.get(request.params.id);
    page(response, 'Checkout', [button(`/pay/${session.id}/card`, 'Pay by card'), `<a href="${session.cancel_url}">Back</a>`]);
  });
  app.post('/pay/:id/card', (request, response) => {
    const session = stripe.world.sessions.get(request.params.id);
    if (session.status === 'open') stripe.completeCheckout(session.id);
    response.redirect(303, session.success_url!);
  });
  app.get('/portal/:customer', (request, response) => {
    const owned = stripe.world.subscriptions
      .all()
      .filter(({ customer, ended_at }) => customer === request.params.customer && ended_at === null);
    page(
      response,
      'Subscriptions',
      owned.map(({ id, status, cancel_at_period_end }) =>
        button(`/portal/${id}/cancel`, `${id} is ${status}: ${cancel_at_period_end ? 'keep it' : 'cancel at the end of the period'}`),
      ),
    );
  });
  app.post('/portal/:id/cancel', (request, response) => {
    const { customer, cancel_at_period_end } = stripe.world.subscriptions.get(request.params.id);
    stripe.cancelAtPeriodEnd(request.params.id, !cancel_at_period_end);
    response.redirect(303, `/portal/${customer}`);
  });
}

const button = (action: string, text: string) => `<form method="post" action="${action}"><button>${text}</button></form>`;

function page(response: Response, title: string, parts: string[]): void {
  response.type('html').send(`<!doctype html><title>${title} (stand-in)</title><h1>${title}</h1>${parts.join('')}`);
}
