import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import type { Request } from 'express';

/**
 * The address that a request came from, as limits count it: Express' `req.ip`, which believes forwarding headers only of the
 * proxies in TRUST_PROXY. One household or server owns a whole IPv6 /64, so that is one address here.
 */
export function addressOf(req: Pick<Request, 'ip'>): string {
  const address = (req.ip ?? '').replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  return isIP(address) === 6 ? `${networkOf(address)}::/64` : address;
}

/** The first four groups, spelled one way. */
function networkOf(address: string): string {
  const [head = '', tail] = address.split('::') as [string, string?];
  const before = head.split(':').filter(Boolean);
  const after = (tail ?? '').split(':').filter(Boolean);
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(Math.max(0, zeros)).fill('0'), ...after];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

/** People mistype all kinds of secrets into an address field, and counted events are nobody's address book. */
export const emailKey = (email: string): string => createHash('sha256').update(email.toLowerCase()).digest('base64url');
