// What every session has, whatever the database has by default: days and months of UTC, since days of other zones have 23 hours or 25;
// times as `pg` reads them; statements that see what others committed while they waited for a lock; and no time limits but those that
// its pool names beside the address, which decide: a load, and a migration of much, take longer than hosts let requests take. And sessions
// whose machine is gone end within a minute, not after the two hours of most systems: the lock of a start would keep all others from starting
// until then, those of an audit and of a load the next ones.
const settings = [
  'TimeZone=UTC',
  'DateStyle=ISO,MDY',
  'default_transaction_isolation=read\\ committed',
  'statement_timeout=0',
  'lock_timeout=0',
  'idle_in_transaction_session_timeout=0',
  'idle_session_timeout=0',
  'tcp_keepalives_idle=30',
  'tcp_keepalives_interval=10',
  'tcp_keepalives_count=3',
];

/**
 * A database's address, for sessions of ours. In the address and not beside it: `pg` takes its options for all there are, and some hosts
 * tell a database's branch by them. These stay, and ours come last, so that they decide.
 */
export const sessionAt = (url: string): string => withSettings(url, settings);

/** The same address, where no time limit of the host ends a transaction. Only for Postgres 17 and newer: older ones refuse such a session. */
export const withoutTransactionLimit = (url: string): string => withSettings(url, ['transaction_timeout=0']);

function withSettings(url: string, given: string[]): string {
  const before = [...url.matchAll(/[?&]options=([^&]*)/g)].at(-1)?.[1]?.replaceAll(' ', '%20') ?? '';
  // Escaped as libpq wants it, too: `psql` and its like take no other address.
  const options = [before, ...given.map((setting) => encodeURIComponent(`-c ${setting}`))].filter(Boolean).join('%20');
  return `${url}${url.includes('?') ? '&' : '?'}options=${options}`;
}
