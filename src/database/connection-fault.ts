import { AppError, isUnreachableDatabase, textOf } from '../core/errors.js';

type Fault = Error & { code?: string; syscall?: string };

interface Words {
  /** Tried on the code and the message. */
  pattern: RegExp;
  /** The database's behavior, in words. */
  does?: string;
  /** The operator's next step. `$URL` is the variable. */
  remedy: string;
}

/** The words of drivers, poolers and Postgres when a connection fails. The first match counts. */
const faults: Words[] = [
  {
    pattern: /unsupported startup parameter/,
    remedy:
      "its pooler passes on no session settings. Remove ?options= from $URL, or add `options` to the pooler's ignore_startup_parameters",
  },
  {
    pattern: /unrecognized configuration parameter/,
    does: 'takes no such session',
    remedy: 'it must be Postgres 14 or newer, and know what ?options= of $URL asks for',
  },
  { pattern: /no pg_hba.conf entry.*no encryption/, remedy: 'its pg_hba.conf may ask for TLS. Add ?sslmode=verify-full to $URL' },
  {
    pattern: /no pg_hba.conf entry/,
    remedy: 'its pg_hba.conf has no line for this machine with the user and database of $URL. Add one, and reload',
  },
  { pattern: /^3D000|no such database/, remedy: 'create the database, or correct its name in $URL' },
  {
    pattern: /^53300|no more connections allowed|too many connections/,
    remedy: "all connections are taken. Raise Postgres' max_connections (of a pooler: max_client_conn), or lower DATABASE_CONNECTIONS",
  },
  { pattern: /^28|authentication failed|no such user|must be a string/i, remedy: 'correct the user and password in $URL' },
  { pattern: /^42501/, remedy: 'the user of $URL must own the database, or may create what it needs there' },
  { pattern: /^25006/, does: 'cannot be written to', remedy: 'it is a standby. Name the primary in $URL, or all hosts, comma-separated' },
  { pattern: /support SSL connections/, remedy: 'it does not speak TLS. Turn TLS on there, or remove sslmode from $URL' },
  {
    pattern: /ALTNAME/,
    does: 'shows a certificate of another host',
    remedy: 'correct the host in $URL to a name that the certificate has',
  },
  {
    pattern: /CERT|UNABLE_TO_VERIFY|SELF_SIGNED/,
    does: 'shows a certificate that is not trusted',
    remedy: 'name its authority by NODE_EXTRA_CA_CERTS, or by ?sslrootcert= in $URL',
  },
  { pattern: /^(ENOTFOUND|EAI_AGAIN)/, does: 'cannot be reached', remedy: 'its host is unknown. Correct the host in $URL' },
  {
    pattern: /^08P01.*(query_wait_timeout|server login|cannot connect)/,
    does: 'cannot be reached through its pooler',
    remedy: "look at the pooler's log",
  },
];

/** One sentence about a connection that could not be made; null for other errors. Without the URL, which has a password. */
export function describeConnectionFault(error: Fault, variable: string): string | null {
  const message = textOf(error);
  const { code = '', syscall } = error;
  const words = faults.find(({ pattern }) => pattern.test(`${code} ${message}`) || pattern.test(message));
  if (words) return `the database ${words.does ?? 'refuses it'} (${message}): ${words.remedy.replaceAll('$URL', variable)}.`;
  return syscall === 'connect' || isUnreachableDatabase(error) || message === 'timeout expired'
    ? `the database cannot be reached (${message}).`
    : null;
}

/** Runs what connects, and says in our words why it could not. */
export async function inWords<T>(variable: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const words = describeConnectionFault(cause as Fault, variable);
    if (words === null) throw cause;
    throw new AppError(isUnreachableDatabase(cause) ? 'unavailable' : 'not_configured', words, { cause });
  }
}
