import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';

/**
 * The client address as limits count it: Express' `req.ip` in canonical form. It believes forwarding headers only from proxies in
 * TRUST_PROXY. A household or server usually has an IPv6 /64, so a /64 counts as one address.
 */
export function addressOf({ ip }: { ip?: string | undefined }): string {
  const text = withoutPort(ip);
  if (!ipaddr.isValid(text)) return 'unknown';
  const address = ipaddr.process(text);
  return address instanceof ipaddr.IPv6 ? new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toString() : address.toString();
}

/** Whether the caller is on this machine. Behind a proxy on it, requests have a header that says for whom they are forwarded. */
export const isLocal = ({ ip, headers }: { ip?: string | undefined; headers: IncomingHttpHeaders }): boolean =>
  /^(127\.|::1$|::ffff:127\.)/.test(withoutPort(ip)) && !isForwarded(headers);

export const isForwarded = (headers: IncomingHttpHeaders): boolean =>
  (headers['x-forwarded-for'] ?? headers['x-real-ip'] ?? headers.forwarded) !== undefined;

/**
 * The network around such an address, which is counted too: the /48 around an IPv6 /64, because some customers have a /48 with 65,536 of them.
 * An IPv4 address is its own network. Works on the text only, because it runs several times per request.
 */
export const networkOf = (address: string): string =>
  address.endsWith('::')
    ? `${address
        .split(':', 3)
        .join(':')
        .replace(/(:0?)+$/, '')}::/48`
    : address;

/** The limit of a network is this many times that of an address. `auth.retry_after` has the same number. */
export const factorOfNetwork = 8;

/** Some proxies forward an address with its port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
export const withoutPort = (text = ''): string => text.replace(/^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/, '$1$2');
