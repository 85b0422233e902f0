import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { PlanName } from '../ledger/plans.js';

const prefixes: Record<PlanName, string> = { trial: 'pk_trial_', paid: 'pk_paid_' };
const secretBytes = 32;
// 62^43 > 2^256 and 62^6 > 2^32: every secret and every checksum fits.
const secretLength = 43;
const checksumLength = 6;
const shape = new RegExp(`^(pk_(?:trial|paid)_[0-9A-Za-z]{${secretLength}})([0-9A-Za-z]{${checksumLength}})$`);

/** A new raw token (shown once, kept nowhere), and the hash that is stored of it. */
export function newTokenSecret(plan: PlanName): { raw: string; hash: Buffer } {
  const body = prefixes[plan] + base62(randomBytes(secretBytes), secretLength);
  const raw = body + checksum(body);
  return { raw, hash: hash('sha256', raw, 'buffer') };
}

/** The hash to look a presented token up by, in base64; null for text that we cannot have issued, so garbage costs no query. */
export function hashToken(raw: string): string | null {
  const match = shape.exec(raw);
  return match && checksum(match[1]!) === match[2] ? hash('sha256', raw, 'base64') : null;
}

function checksum(body: string): string {
  let text = '';
  for (let rest = crc32(body), i = 0; i < checksumLength; i++) {
    text = alphabet[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function base62(bytes: Buffer, length: number): string {
  let number = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let i = 0; i < length; i++) {
    text = alphabet[Number(number % 62n)] + text;
    number /= 62n;
  }
  return text;
}
