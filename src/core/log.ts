import { writeSync } from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from './config.js';

/** Logs JSON lines to standard error; standard output is for the results of commands. Lines contain no secrets or personal data. */
export function createLog(config: Pick<Config, 'logLevel'>): Logger {
  return pino(
    {
      level: config.logLevel,
      errorKey: 'error',
      serializers: { error: factsOf, path: withoutLinkToken, operation: withoutLinkToken },
      redact: {
        paths: [
          'authorization',
          'cookie',
          'password',
          'token',
          '*.authorization',
          '*.cookie',
          '*["set-cookie"]',
          '*["stripe-signature"]',
          '*.password',
          '*.token',
        ],
        censor: '[redacted]',
      },
      hooks: { streamWrite: redactLine },
    },
    standardError,
  );
}

/**
 * Drops a line that cannot be written, for example on a full disk. Pino's own destination would end the process, block on a fatal line until
 * there is room, or keep all lines in memory.
 */
const standardError: DestinationStream = {
  write(line) {
    try {
      for (let rest = Buffer.from(line); rest.length > 0; ) rest = rest.subarray(writeSync(2, rest));
    } catch {
      // There is nowhere to report this.
    }
  },
};

const repeating = new Map<string, { count: number; say: (count: number) => void }>();

/** For a line that may come thousands of times a second: says the first at once, then each second the newest, with how many there were. */
export function sayEachSecond(key: string, say: (count: number) => void): void {
  const known = repeating.get(key);
  if (known) {
    known.count++;
    known.say = say;
    return;
  }
  say(1);
  const line = { count: 0, say };
  repeating.set(key, line);
  const timer = setInterval(() => {
    if (line.count > 0) line.say(line.count);
    else if (repeating.delete(key)) clearInterval(timer);
    line.count = 0;
  }, 1_000).unref();
}

// Other fields of errors may contain user data: query parameters, row values, mail envelopes, bodies.
const loggedFields = [
  ...['message', 'stack', 'code', 'status', 'statusCode', 'responseCode', 'command', 'requestId'],
  ...['schema', 'table', 'column', 'constraint', 'syscall', 'address', 'port'],
];
const maxDepth = 4;

/** The logged form of an error and its causes. */
function factsOf(thrown: unknown, depth = 0): unknown {
  if (typeof thrown !== 'object' || thrown === null) return thrown;
  const error = thrown as Record<string, unknown>;
  const logged = loggedFields.filter((field) => ['string', 'number'].includes(typeof error[field])).map((field) => [field, error[field]]);
  const facts = { type: thrown.constructor?.name, ...Object.fromEntries(logged) };
  if (depth === maxDepth) return facts;
  const { cause, originalError, errors } = error;
  return {
    ...facts,
    ...(cause !== undefined && { cause: factsOf(cause, depth + 1) }),
    ...(originalError !== undefined && { originalError: factsOf(originalError, depth + 1) }),
    ...(Array.isArray(errors) && { errors: errors.map((one) => factsOf(one, depth + 1)) }),
  };
}

/** A password reset link has its token in the path, and still works after a failed attempt to open it. A caller may send 16 KB of path. */
const withoutLinkToken = (path: unknown): string =>
  String(path)
    .slice(0, 300)
    .replace(/(\/reset-password\/).+/is, '$1[redacted]');

// A JSON escape right before an address is not part of it.
const mailAddress = /(\\u.{4}|\\.)?[^\s"\\<>()[\],:;=@]{0,64}(?:@|%40)[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu;
const apiToken = /pk_(?:trial|paid)_\w{16,}/g;

/** Redacts addresses and tokens: messages of libraries and paths contain text of callers and other servers. */
const redactLine = (line: string): string => withoutTokens(line.replace(mailAddress, '$1[address]'));

export const withoutTokens = (text: string): string => text.replace(apiToken, '[redacted]');
