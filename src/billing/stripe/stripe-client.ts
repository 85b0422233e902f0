import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import Stripe from 'stripe';
import type { Config } from '../../core/config.js';
import { isMissing } from './stripe-errors.js';

// Two attempts fit into the 15 s that our transactions may idle.
const timeoutMs = 5_000;
const maxNetworkRetries = 1;

interface StripeOptions {
  /** Whether only reading is allowed, because the database looks like a copy. */
  isHeld?(): boolean;
  /** Default: calls start at once. */
  pace?: Pace;
}

/** Stripe's API under the configured key, or null when there is none. The SDK pins the API version that its types describe. */
export function openStripe(config: Pick<Config, 'stripeSecretKey' | 'stripeApiUrl'>, options: StripeOptions = {}): Stripe | null {
  if (!config.stripeSecretKey) return null;
  const httpClient = nonRetryingHttpClient(options);
  return new Stripe(config.stripeSecretKey, {
    timeout: timeoutMs,
    maxNetworkRetries,
    telemetry: false,
    httpClient,
    ...address(config.stripeApiUrl),
  });
}

/**
 * The SDK resends a request at once when the connection closes, even with maxNetworkRetries 0, and reports the second answer only. After
 * a 429 we would not know that the first attempt may have arrived. The SDK recognizes such an error by its code, so this removes the code.
 */
function nonRetryingHttpClient({ isHeld = () => false, pace }: StripeOptions): Stripe.HttpClient {
  const client = Stripe.createNodeHttpClient();
  const makeRequest = client.makeRequest.bind(client);
  client.makeRequest = async (...request) => {
    const [, , , method] = request;
    if (method !== 'GET' && isHeld()) throw new Error('the database looks like a copy, so nothing is written to Stripe');
    await pace?.(method === 'GET' ? 'read' : 'write');
    return makeRequest(...request).catch((cause: NodeJS.ErrnoException) => {
      throw cause.code && closedConnection.includes(cause.code) ? new Error(cause.message, { cause }) : cause;
    });
  };
  return client;
}

const closedConnection = ['ECONNRESET', 'EPIPE'];

/** Null if Stripe does not know the object. */
export async function orMissing<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** The id of an object that Stripe sends as an id, or as a whole if it was expanded. */
export const idOf = (reference: string | { id: string }): string => (typeof reference === 'string' ? reference : reference.id);

/** Whether the key is for real payments. A server refuses events of the other mode. */
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

// Stripe takes 100 reads and 100 writes a second of an account. The rest is for the dashboard and other programs.
const callsPerSecond = 80;

/** Waits until the next call to Stripe may start. */
export type Pace = (kind: 'read' | 'write') => Promise<void>;

/** One pace for all servers on a database. While that is away, calls are not held up: Stripe refuses what is too much. */
export const sharedPace =
  (pool: Pool): Pace =>
  async (kind) => {
    const slot = pool.query<{ waitMs: number }>(
      `insert into stripe_pace as p (kind, next_at) values ($1, clock_timestamp())
       on conflict (kind) do update set next_at = greatest(p.next_at + make_interval(secs => $2), clock_timestamp())
       returning extract(epoch from next_at - clock_timestamp())::float * 1000 as "waitMs"`,
      [kind, 1 / callsPerSecond],
    );
    const { rows } = await slot.catch(() => ({ rows: [] }));
    for (const { waitMs } of rows) if (waitMs >= 1) await sleep(waitMs);
  };
