import { StripeFault } from './fault.js';

const lockedSentence =
  'This object cannot be accessed right now because another API request or Stripe process is currently accessing it. ' +
  'If you see this error intermittently, retry the request.';

/** How many calls Stripe takes. */
export class Limits {
  /** Stripe's own is 25 in test mode and 100 for real payments; none unless a test sets one. */
  callsPerSecond: number | null = null;
  private readonly startedMs: number[] = [];

  /** @throws StripeFault 429 */
  count(): void {
    if (this.callsPerSecond === null) return;
    const nowMs = performance.now();
    while (this.startedMs.length > 0 && this.startedMs[0]! <= nowMs - 1000) this.startedMs.shift();
    if (this.startedMs.length >= this.callsPerSecond) throw tooMany();
    this.startedMs.push(nowMs);
  }
}

export const tooMany = () =>
  new StripeFault(
    429,
    { type: 'invalid_request_error', code: 'rate_limit', message: 'Request rate limit exceeded.' },
    { 'retry-after': '1', 'stripe-rate-limited-reason': 'global-rate' },
  );

/** Two calls want one object. */
export const lockTimeout = () => new StripeFault(429, { type: 'invalid_request_error', code: 'lock_timeout', message: lockedSentence });
