/*
 * Checks a bill of Parcel Records without trusting Parcel Records: see schema/ledger.md. One file without imports, so that it runs by itself
 * in Node and in browsers. The caller passes in SHA-256, and Ed25519 if signatures are to be checked.
 */

/** SHA-256 of bytes. May return the same array again: callers copy what they keep. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/** One line of `ledger.ndjson`, with its keys in this order. Times are microseconds since 1970. */
export interface LedgerLine {
  hash_version: 1;
  balance_id: string;
  sequence: number;
  id: string;
  token_id: string | null;
  kind: string;
  at: number;
  records: number;
  credits: number;
  overage_records: number;
  overage_cents: number;
  balance_after: number;
  overage_after: number;
  period_start: number;
  segments: number[];
  county_fips: string | null;
  attempt: number;
  reverses: string | null;
  repeats: string | null;
  request_hash: string | null;
  request_id: string | null;
  idempotency_key: string | null;
  reason: string | null;
  actor: string | null;
  previous_hash: string;
  hash: string;
}

/** The text that an entry's hash covers, beside the previous hash. */
export function entryText(e: LedgerLine): string {
  return `${e.id}|${e.balance_id}|${e.sequence}|${e.token_id ?? ''}|${e.kind}|${secondsOf(e.at)}|${e.records}|${e.credits}|${
    e.overage_records
  }|${e.overage_cents}|${e.balance_after}|${e.overage_after}|${secondsOf(e.period_start)}|{${e.segments.join()}}|${
    e.county_fips ?? ''
  }|${e.attempt}|${e.reverses ?? ''}|${e.repeats ?? ''}|${e.request_hash ?? ''}|${quoted(e.request_id)}|${quoted(
    e.idempotency_key,
  )}|${quoted(e.reason)}|${quoted(e.actor)}`;
}

/** The hash that an entry must have: SHA-256 of the previous hash (32 bytes) and the entry's text. */
export function hashEntry(e: LedgerLine, sha256: Sha256): Uint8Array {
  return hashAfter(bytesOfHex(e.previous_hash), e, sha256);
}

const encoder = new TextEncoder();
let buffer = new Uint8Array(4096);

function hashAfter(previousHash: Uint8Array, e: LedgerLine, sha256: Sha256): Uint8Array {
  const text = entryText(e);
  if (buffer.length < 32 + 3 * text.length) buffer = new Uint8Array(64 + 6 * text.length);
  buffer.set(previousHash);
  const { written } = encoder.encodeInto(text, buffer.subarray(32));
  return sha256(buffer.subarray(0, 32 + written));
}

/** Seconds with six decimal places. */
function secondsOf(micros: number): string {
  const digits = String(Math.abs(micros)).padStart(7, '0');
  return `${micros < 0 ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/** NULL without quotes; otherwise in single quotes, `'` and `\` doubled, and an `E` before a text that has a `\`. */
function quoted(text: string | null): string {
  if (text === null) return 'NULL';
  const doubled = text.replace(/['\\]/g, '$&$&');
  return text.includes('\\') ? `E'${doubled}'` : `'${doubled}'`;
}

const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function hexOf(bytes: Uint8Array): string {
  let hex = '';
  for (let i = 0; i < bytes.length; i++) hex += hexOfByte[bytes[i]!];
  return hex;
}

export function bytesOfHex(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length >> 1);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}
