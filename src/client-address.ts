import ipaddr from 'ipaddr.js';

/**
 * The address that a request came from, as limits count it: Express' `req.ip`, which believes forwarding headers only of the
 * proxies in TRUST_PROXY, in one spelling. A household or server usually has a whole IPv6 /64, so that counts as one address.
 */
export function addressOf({ ip = '' }: { ip?: string | undefined }): string {
  if (!ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  return address instanceof ipaddr.IPv6 ? new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toString() : address.toString();
}
