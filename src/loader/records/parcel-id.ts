import { hash } from 'node:crypto';

// Must never change: every parcel's id depends on it.
const namespace = Buffer.from('7f1c5a523c3b5d0e9d0f6a2f6f0c9b11', 'hex');

/** Within what a parcel number names one parcel: a county, or the part of it that a file is of. */
export interface NumberScope {
  countyFips: string;
  /** Two towns of a county may number their parcels alike. */
  part: string | null;
}

/**
 * The UUID v5 of the county, its part, the parcel number and what tells the record from others of its number: the same in every
 * format, file and year as long as the county keeps them.
 * @param distinction empty for the only record of its number; see `distinguish`
 */
export function parcelId({ countyFips, part }: NumberScope, apn: string | null, distinction: string[]): string {
  // No value holds a NUL, so no two lists make the same name.
  const name = [countyFips, part ?? '', apn ?? '', ...distinction].join('\0');
  // RFC 9562's way by one call of OpenSSL; the package `uuid` makes three, and takes five times as long.
  const sha1 = hash('sha1', Buffer.concat([namespace, Buffer.from(name)]), 'hex');
  const variant = variants[Number.parseInt(sha1[16]!, 16) & 3];
  return `${sha1.slice(0, 8)}-${sha1.slice(8, 12)}-5${sha1.slice(13, 16)}-${variant}${sha1.slice(17, 20)}-${sha1.slice(20, 32)}`;
}

const variants = '89ab';
