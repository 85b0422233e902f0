import dns from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { AppError, refusal } from '../../../core/errors.js';

// The only IPv6 addresses in use on the Internet. ipaddr.js calls others public too, such as ::127.0.0.1.
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether this is an address on the Internet: not loopback, private, link-local (metadata services), shared, multicast, translated or reserved. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(globalUnicast));
}

/** @throws AppError if this is a literal address that is not public */
export function refusePrivateLiteral(hostname: string): void {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(host) && !isPublicAddress(host)) throw privateAddress(host);
}

/**
 * Resolves a name for a socket, which connects to the addresses that were checked here: a second answer of the name server is checked
 * like the first. Literal addresses never get here.
 */
export const lookupPublic: LookupFunction = (hostname, options, done) => {
  dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, []);
    if (addresses.length === 0 || !addresses.every(({ address }) => isPublicAddress(address))) return done(privateAddress(hostname), []);
    if (options.all) return done(null, addresses);
    done(null, addresses[0]!.address, addresses[0]!.family);
  });
};

const privateAddress = (host: string): AppError =>
  refusal(
    `${host} is at a private address, which is never called. For a server of your own network, add its host:port to SOURCE_PRIVATE_HOSTS.`,
  );
