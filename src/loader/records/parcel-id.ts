import { hash } from 'node:crypto';

// Must never change: every parcel's id depends on it.
const namespace = Buffer.from('7f1c5a523c3b5d0e9d0f6a2f6f0c9b11', 'hex');

/** The scope in which a parcel number identifies a parcel: a county, or the part of it that is loaded. */
export interface NumberScope {
  countyFips: string;
  /** Two towns of a county may number their parcels alike. */
  part: string | null;
}

/**
 * The UUID v5 of the county, its part, the parcel number and the discriminators: the same in every format, file and year, as long as these
 * stay the same.
 * @param distinction empty for the only record of its number; see `disambiguateIds`
 */
export function parcelId({ countyFips, part }: NumberScope, apn: string | null, distinction: string[]): string {
  // No value contains a NUL, so no two lists give the same name.
  const name = [countyFips, part ?? '', apn ?? '', ...distinction].join('\0');
  // RFC 9562 with one OpenSSL call; the package `uuid` makes three and takes five times as long.
  const sha1 = hash('sha1', Buffer.concat([namespace, Buffer.from(name)]), 'hex');
  const variant = variants[Number.parseInt(sha1[16]!, 16) & 3];
  return `${sha1.slice(0, 8)}-${sha1.slice(8, 12)}-5${sha1.slice(13, 16)}-${variant}${sha1.slice(17, 20)}-${sha1.slice(20, 32)}`;
}

const variants = '89ab';
