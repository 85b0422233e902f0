import type { Call } from '../../docs/calls.js';
import { fetchCountyPage, NotFoundError } from '../public-api.js';

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
    throw noAnswer(headers, cause);
  }
}

function headersOf(headers: Record<string, string>): Headers {
  try {
    return new Headers(headers);
  } catch (cause) {
    throw new Error('The token or a header has a character that HTTP does not allow there. Nothing was sent.', { cause });
  }
}

export function noAnswer(headers: Record<string, string>, cause: unknown): Error {
  const advice = headers['Idempotency-Key']
    ? 'Send it again: with the same Idempotency-Key, what was charged already costs nothing.'
    : 'Check your connection, then send it again.';
  return new Error(`No answer came. ${advice}`, { cause });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A record that everybody may see. */
export interface FreeRecord {
  record: object;
  /** Fields that may name a person, which only the API returns. */
  heldBack: string[];
  county: string;
  isInvented: boolean;
}

/** The free record of a county. @throws Error in words if there is none */
export async function fetchFreeRecord(fips: string): Promise<FreeRecord> {
  const { county, sampleRecord } = await fetchCountyPage(fips).catch((error: Error) => {
    if (error instanceof NotFoundError) throw new Error(`There is no county ${fips}. A FIPS code has five digits, such as 48301.`);
    throw new Error('No answer came. Check your connection, then send it again.', { cause: error });
  });
  const name = `${county.name}, ${county.state}`;
  if (!sampleRecord) throw new Error(`${name} has no records yet. Choose a county that has some.`);
  return { record: sampleRecord.record as object, heldBack: sampleRecord.heldBack, county: name, isInvented: county.isSample };
}
