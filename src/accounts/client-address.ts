import { createHash } from 'node:crypto';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/**
 * The address that a request came from, as limits count it: Express' `req.ip`, which believes forwarding headers only of the
 * proxies in TRUST_PROXY, in one spelling. A household or server owns a whole IPv6 /64, so that is one address here.
 */
export function addressOf({ ip = '' }: Pick<Request, 'ip'>): string {
  if (!ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  return address instanceof ipaddr.IPv6 ? new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toString() : address.toString();
}

/** People mistype all kinds of secrets into an address field, and counted events are nobody's address book. */
export const emailKey = (email: string): string => createHash('sha256').update(email.toLowerCase()).digest('base64url');
