import { hash } from 'node:crypto';
import { parse } from 'uuid';

// Must never change: every parcel's id depends on it.
const namespace = parse('7f1c5a52-3c3b-5d0e-9d0f-6a2f6f0c9b11');

/**
 * The UUID v5 of the county, the parcel number and `apnSequence`, so it is the same in every format, file and year as long as the
 * county keeps the number.
 * @param apnSequence how many rows before this one had the same number; shapes without a number are counted as if they shared one
 */
export function parcelId(countyFips: string, apn: string | null, apnSequence: number): string {
  // RFC 9562's way by one call of OpenSSL; the package `uuid` makes three, and takes five times as long.
  const sha1 = hash('sha1', Buffer.concat([namespace, Buffer.from(`${countyFips}|${apn ?? ''}|${apnSequence}`)]), 'hex');
  const variant = variants[Number.parseInt(sha1[16]!, 16) & 3];
  return `${sha1.slice(0, 8)}-${sha1.slice(8, 12)}-5${sha1.slice(13, 16)}-${variant}${sha1.slice(17, 20)}-${sha1.slice(20, 32)}`;
}

const variants = '89ab';
