/** The network address of a session; of IPv6, its network in the usual short form. This machine itself is no place. */
export function fromAddress(address: string | null | undefined): string {
  const short = address?.includes(':') ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
  return short && short !== '::' ? `from ${short}, ` : '';
}

/** Browser and system of a user agent, by the names that people know. */
export function browserOf(userAgent: string | null | undefined): string {
  const browser = /(Edg|OPR|Firefox|Chrome|Safari|curl)/.exec(userAgent ?? '')?.[1];
  const system = /(Windows|Mac OS|Android|iPhone|iPad|Linux)/.exec(userAgent ?? '')?.[1];
  const name = { Edg: 'Edge', OPR: 'Opera' }[browser ?? ''] ?? browser;
  return [name ?? 'Unknown browser', system && `on ${system}`].filter(Boolean).join(' ');
}
