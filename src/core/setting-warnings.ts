import type { Config } from './config.js';

/** What a server can start with, but hardly should, a sentence each. */
export function warningsOf({ nodeEnv, baseUrl, stripeSecretKey, stripeWebhookSecrets }: Config): string[] {
  const warnings: string[] = [];
  if (nodeEnv === 'production' && !baseUrl.startsWith('https:')) {
    warnings.push(`set BASE_URL to the public https address: callers are told to send their tokens to ${baseUrl}`);
  }
  if (stripeSecretKey && stripeWebhookSecrets.length === 0) {
    warnings.push('set STRIPE_WEBHOOK_SECRET: without it payments are noticed hours later. `stripe setup` prints the webhook endpoint');
  }
  return warnings;
}
