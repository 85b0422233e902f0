import Stripe from 'stripe';
import type { Config } from '../../core/config.js';
import { isMissing } from './stripe-errors.js';

// Two attempts stay well within the 15 s that a transaction of ours may idle while it waits for an answer.
const timeoutMs = 5_000;
const maxNetworkRetries = 1;

/** Stripe's API under the configured key, or null when there is none. The SDK pins the API version that its types describe. */
export function openStripe(config: Pick<Config, 'stripeSecretKey' | 'stripeApiUrl'>): Stripe | null {
  if (!config.stripeSecretKey) return null;
  const httpClient = nonRetryingHttpClient();
  return new Stripe(config.stripeSecretKey, {
    timeout: timeoutMs,
    maxNetworkRetries,
    telemetry: false,
    httpClient,
    ...address(config.stripeApiUrl),
  });
}

/**
 * The SDK sends at once again what a closed connection broke off, though it may not retry, and then tells of the second answer only: after
 * a 429 nobody would know that the first attempt may have arrived. It knows such a failure by its code, so this one has none.
 */
function nonRetryingHttpClient(): Stripe.HttpClient {
  const client = Stripe.createNodeHttpClient();
  const makeRequest = client.makeRequest.bind(client);
  client.makeRequest = (...request) =>
    makeRequest(...request).catch((cause: NodeJS.ErrnoException) => {
      throw cause.code && closedConnection.includes(cause.code) ? new Error(cause.message, { cause }) : cause;
    });
  return client;
}

const closedConnection = ['ECONNRESET', 'EPIPE'];

/** Null for an object that Stripe does not know. */
export async function orMissing<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Whether the key is for real payments. A server with a test key must refuse live events, and the other way round. */
export const isLiveKey = (key: string): boolean => key.includes('_live_');

function address(url: string | undefined): Pick<Stripe.StripeConfig, 'protocol' | 'host' | 'port'> {
  if (!url) return {};
  const { protocol, hostname, port } = new URL(url);
  return {
    protocol: protocol === 'http:' ? 'http' : 'https',
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port || (protocol === 'http:' ? 80 : 443),
  };
}
