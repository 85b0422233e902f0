// What every session has, whatever the database has by default: days and months of UTC, since days of other zones have 23 hours or 25;
// times as `pg` reads them; statements that see what others committed while they waited for a lock; and no time limits but those that
// its pool names beside the address, which decide: a load, and a migration of much, take longer than hosts let requests take.
const settings = [
  'TimeZone=UTC',
  'DateStyle=ISO,MDY',
  'default_transaction_isolation=read\\ committed',
  'statement_timeout=0',
  'lock_timeout=0',
  'idle_in_transaction_session_timeout=0',
  'idle_session_timeout=0',
];

/**
 * A database's address, for sessions of ours. In the address and not beside it: `pg` takes its options for all there are, and some hosts
 * tell a database's branch by them. These stay, and ours come last, so that they decide.
 */
export const sessionAt = (url: string): string => withSettings(url, settings);

/** The same address, where no time limit of the host ends a transaction. Only for Postgres 17 and newer: older ones refuse such a session. */
export const withoutTransactionLimit = (url: string): string => withSettings(url, ['transaction_timeout=0']);

function withSettings(url: string, given: string[]): string {
  const before = [...url.matchAll(/[?&]options=([^&]*)/g)].at(-1)?.[1] ?? '';
  const options = [before, ...given.map((setting) => `-c ${setting}`)].join(' ').replaceAll(' ', '%20');
  return `${url}${url.includes('?') ? '&' : '?'}options=${options}`;
}
