import { AppError, type ParameterFault } from './errors.js';

/** The error for parameters that break rules: names each, with the rule and its value. */
export function invalidRequest(faults: ParameterFault[]): AppError {
  const sentence = faults.map(({ parameter, message }) => `${parameter} ${message}`).join('; ');
  return new AppError('invalid_request', `${sentence}.`, { details: faults });
}

/** A value as JSON, cut to 60 characters for a message. */
export function quoteValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

const snakeCased = new Map<string, string>();

/** countyFips → county_fips: the names that REST callers know. Only for names of our own, since each is remembered. */
export function snakeCase(name: string): string {
  let snake = snakeCased.get(name);
  if (snake === undefined) {
    snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    snakeCased.set(name, snake);
  }
  return snake;
}

/**
 * Text of one line. Control characters could be used to forge lines in mails, logs and terminals, and Postgres refuses NUL. Half of a
 * surrogate pair is no character, and cannot be written as UTF-8. Characters of format hide, or turn around what stands beside them;
 * only the joiners (200C, 200D) are needed, to write Persian and to put emoji together.
 */
export const plainText = /^(?:[^\p{Cc}\p{Cf}\p{Cs}]|[\u200c\u200d])*$/u;

/** What names a request or a correction that is done once. It is stored for good, so it must be short and printable. */
export const idempotencyKeyText = /^[\x21-\x7e]{1,255}$/;

export const idempotencyKeyRule = 'must be 1 to 255 printable characters without spaces';

/** Text that may have several lines. */
export const plainLines = /^(?:[^\p{Cc}\p{Cf}\p{Cs}]|[\r\n\t\u200c\u200d])*$/u;

export const plainTextRule = { message: 'must not have control characters' };

// Braille's empty cell and letters that are never drawn, as Hangul's filler, look like nothing, too.
const seen = /(?![\p{DI}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u;
const telling = ({ source }: RegExp) => new RegExp(`^(?=[^]*${seen.source})${source.slice(1)}`, 'u');

/** A name: text of one line of which something is seen. */
export const tellingText = telling(plainText);

/** A reason. One of blanks alone is none, and the books' audit would not take it for one. */
export const tellingLines = telling(plainLines);

export const tellingTextRule = { message: 'must say something, without control characters' };

/** Whether a text is a day of the calendar, as YYYY-MM-DD. */
export function isDay(text: unknown): text is string {
  if (typeof text !== 'string' || !/^(?!0000)\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(text);
  // Date.parse takes the 31st of February for a day in March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
