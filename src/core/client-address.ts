import ipaddr from 'ipaddr.js';

/**
 * The address that a request came from, as limits count it: Express' `req.ip`, which believes forwarding headers only of the
 * proxies in TRUST_PROXY, in one spelling. A household or server usually has a whole IPv6 /64, so that counts as one address.
 */
export function addressOf({ ip }: { ip?: string | undefined }): string {
  const text = withoutPort(ip);
  if (!ipaddr.isValid(text)) return 'unknown';
  const address = ipaddr.process(text);
  return address instanceof ipaddr.IPv6 ? new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toString() : address.toString();
}

/** Some proxies forward an address with its port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
export const withoutPort = (text = ''): string => text.replace(/^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/, '$1$2');
