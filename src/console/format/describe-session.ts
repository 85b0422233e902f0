/** `from ADDRESS, ` for the IP address of a session, with IPv6 in its short form. Empty for this machine (`::`). */
export function fromAddress(address: string | null | undefined): string {
  const short = address?.includes(':') ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
  return short && short !== '::' ? `from ${short}, ` : '';
}

/** The common names of the browser and the system in a user agent. */
export function browserOf(userAgent: string | null | undefined): string {
  const browser = /(Edg|OPR|Firefox|Chrome|Safari|curl)/.exec(userAgent ?? '')?.[1];
  const system = /(Windows|Mac OS|Android|iPhone|iPad|Linux)/.exec(userAgent ?? '')?.[1];
  const name = { Edg: 'Edge', OPR: 'Opera' }[browser ?? ''] ?? browser;
  return [name ?? 'Unknown browser', system && `on ${system}`].filter(Boolean).join(' ');
}
