// Settings of every session, whatever the database's defaults:
// - UTC, because days of other time zones may have 23 or 25 hours, and the date style that `pg` parses
// - only our tables and functions, whatever a role or database was given to look in first
// - read committed, so that a statement that waited for a lock sees what others committed
// - no time limits except those of the pool, which take precedence: loads and large migrations take longer than hosts allow requests
// - no JIT: compiling takes longer than any statement of ours. The functions whose plan settings make Postgres expect the worst say it too
// - TCP keep-alive, so that sessions of a lost machine end within a minute, not after the usual two hours. Until then their locks would
//   block all starts, audits and loads.
const settings = [
  'TimeZone=UTC',
  'DateStyle=ISO,MDY',
  'search_path=public',
  'default_transaction_isolation=read\\ committed',
  'statement_timeout=0',
  'lock_timeout=0',
  'idle_in_transaction_session_timeout=0',
  'idle_session_timeout=0',
  'jit=off',
  'tcp_keepalives_idle=30',
  'tcp_keepalives_interval=10',
  'tcp_keepalives_count=3',
];

/**
 * A database URL with our session settings. They are appended to the URL's own `options`, which some hosts need to select a branch and which
 * `pg` would ignore if options were passed separately. Ours come last, so they take precedence.
 */
export const withSessionSettings = (url: string): string => withSettings(url, settings);

/** Whether the URL leads through a pooler. Operators may mark it in this way, as for Prisma. */
export const isPooled = (url: string): boolean => /[?&]pgbouncer=true(&|$)/.test(url);

/** Marks a URL that leads through a pooler: sessions are shared there, so they take no settings. */
export const asPooled = (url: string): string => `${url}${url.includes('?') ? '&' : '?'}pgbouncer=true`;

/** Turns off the host's time limit on transactions. Only for Postgres 17 and newer: older versions refuse the setting. */
export const withoutTransactionLimit = (url: string): string => withSettings(url, ['transaction_timeout=0']);

function withSettings(url: string, given: string[]): string {
  if (isPooled(url)) return url;
  const before = [...url.matchAll(/[?&]options=([^&]*)/g)].at(-1)?.[1]?.replaceAll(' ', '%20') ?? '';
  // Escaped as libpq needs it, so that `psql` and similar tools accept the URL.
  const options = [before, ...given.map((setting) => encodeURIComponent(`-c ${setting}`))].filter(Boolean).join('%20');
  return `${url}${url.includes('?') ? '&' : '?'}options=${options}`;
}
