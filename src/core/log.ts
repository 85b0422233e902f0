import { writeSync } from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from './config.js';

/** JSON lines on standard error, since standard output is for what a command prints. They hold nothing that is secret or personal. */
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
 * A line that cannot be written, as on a full disk, is lost, and the next one is tried. Pino's own destination would end the process, stand
 * still until there is room where the line is a fatal one, or keep all lines in memory.
 */
const standardError: DestinationStream = {
  write(line) {
    try {
      for (let rest = Buffer.from(line); rest.length > 0; ) rest = rest.subarray(writeSync(2, rest));
    } catch {
      // There is nowhere to say it.
    }
  },
};

// Whatever else an error carries may be what somebody sent: the parameters of a query, the values of a row, an envelope, a body.
const toldFields = [
  ...['message', 'stack', 'code', 'status', 'statusCode', 'responseCode', 'command', 'requestId'],
  ...['schema', 'table', 'column', 'constraint', 'syscall', 'address', 'port'],
];
const maxDepth = 4;

/** What the log tells of an error and of those within it. */
function factsOf(thrown: unknown, depth = 0): unknown {
  if (typeof thrown !== 'object' || thrown === null) return thrown;
  const error = thrown as Record<string, unknown>;
  const told = toldFields.filter((field) => ['string', 'number'].includes(typeof error[field])).map((field) => [field, error[field]]);
  const facts = { type: thrown.constructor?.name, ...Object.fromEntries(told) };
  if (depth === maxDepth) return facts;
  const { cause, originalError, errors } = error;
  return {
    ...facts,
    ...(cause !== undefined && { cause: factsOf(cause, depth + 1) }),
    ...(originalError !== undefined && { originalError: factsOf(originalError, depth + 1) }),
    ...(Array.isArray(errors) && { errors: errors.map((one) => factsOf(one, depth + 1)) }),
  };
}

/** The mailed link to a new password has its token in the path, and works on where opening it has failed. */
const withoutLinkToken = (path: unknown): string => String(path).replace(/(\/reset-password\/).+/is, '$1[redacted]');

// An escape of JSON right before an address is no part of it.
const mailAddress = /(\\u.{4}|\\.)?[^\s"\\<>()[\],:;=@]{0,64}(?:@|%40)[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu;
const apiToken = /pk_(?:trial|paid)_\w{16,}/g;

/** Messages of libraries and paths hold what the caller or another server put there. */
const redactLine = (line: string): string => line.replace(mailAddress, '$1[address]').replace(apiToken, '[redacted]');
