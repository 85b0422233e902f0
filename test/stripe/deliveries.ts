import Stripe from 'stripe';

/** Sends events to the service as Stripe does: the exact bytes, signed, at the time of sending. */
export class Deliveries {
  constructor(
    public endpoint: string,
    public secret: string,
  ) {}

  /** @returns the status that the endpoint answered */
  async deliver(event: Stripe.Event, to = this.endpoint): Promise<number> {
    const payload = JSON.stringify(event, null, 2);
    const response = await fetch(to, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload, secret: this.secret }),
      },
      body: payload,
    });
    await response.arrayBuffer();
    return response.status;
  }
}
