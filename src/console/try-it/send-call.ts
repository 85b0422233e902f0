import type { Call } from '../../docs/calls.js';

/** What the service answered. */
export interface Answer {
  status: number;
  /** From sending to the last byte. */
  durationMs: number;
  headers: Headers;
  text: string;
  /** Undefined if the answer is not JSON. */
  json: unknown;
}

/**
 * Sends a call from the browser to the service itself.
 * @param token of calls that take one; `undefined` sends the session's cookie instead, if there is one
 * @throws Error in words if there was no answer
 */
export async function sendCall({ method, path, headers }: Call, token: string | undefined): Promise<Answer> {
  const sent = headersOf(token ? { ...headers, Authorization: `Bearer ${token}` } : headers);
  const startMs = performance.now();
  try {
    const response = await fetch(path, {
      method,
      headers: sent,
      cache: 'no-store',
      credentials: token === undefined ? 'same-origin' : 'omit',
    });
    const text = await response.text();
    return { status: response.status, durationMs: performance.now() - startMs, headers: response.headers, text, json: jsonOf(text) };
  } catch (cause) {
    throw new Error(`No answer came. ${advice(headers)}`, { cause });
  }
}

function headersOf(headers: Record<string, string>): Headers {
  try {
    return new Headers(headers);
  } catch (cause) {
    throw new Error('The token or a header has a character that HTTP does not allow there. Nothing was sent.', { cause });
  }
}

const advice = (headers: Record<string, string>): string =>
  headers['Idempotency-Key']
    ? 'Send it again: with the same Idempotency-Key, what was charged already costs nothing.'
    : 'Check your connection, then send it again.';

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
