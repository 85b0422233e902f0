import { Matches, ValidateBy } from 'class-validator';
import { AppError, type ParameterFault } from './errors.js';

/** The error for invalid parameters, with the rule that each breaks. */
export function invalidRequest(faults: ParameterFault[]): AppError {
  const sentence = faults.map(({ parameter, message }) => `${parameter} ${message}`).join('; ');
  return new AppError('invalid_request', `${sentence}.`, { details: faults });
}

/** A value as JSON, cut to 60 characters for a message. */
export function quoteValue(value: unknown): string {
  const text = jsonOf(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** JSON.parse has no depth limit, but JSON.stringify has. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return 'a value that is nested too deeply';
  }
}

/** The most characters of a text that an argument takes, unless its class sets another bound. */
export const maxTextLength = 2_000;

/**
 * Text of one line. Control characters could forge lines in mails, logs and terminals, and Postgres refuses NUL. Half a surrogate pair cannot
 * be encoded as UTF-8. Format characters hide text or reverse its direction; only the joiners (200C, 200D) are needed, for Persian and emoji.
 */
export const plainText = /^(?:[^\p{Cc}\p{Cf}\p{Cs}]|[\u200c\u200d])*$/u;

/** The key of a request, a correction or an event that is done once. It is stored permanently, so it must be short and printable. */
export const idempotencyKeyText = /^[\x21-\x7e]{1,255}$/;

export const idempotencyKeyRule = 'must be 1 to 255 printable characters without spaces';

/** Text that may have several lines. */
export const plainLines = /^(?:[^\p{Cc}\p{Cf}\p{Cs}]|[\r\n\t\u200c\u200d])*$/u;

export const plainTextRule = { message: 'must not have control characters' };

// Excludes invisible characters: Braille's empty cell, and letters such as the Hangul filler.
const visible = /(?![\p{DI}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u;
const mustBeVisible = ({ source }: RegExp) => new RegExp(`^(?=[^]*${visible.source})${source.slice(1)}`, 'u');

/** A name: text of one line with at least one visible character. */
export const visibleText = mustBeVisible(plainText);

/** A reason: text with at least one visible character. The audit finds entries with blank reasons. */
export const visibleLines = mustBeVisible(plainLines);

export const visibleTextRule = { message: 'must say something, without control characters' };

/** Whether a text is a calendar day in the form YYYY-MM-DD. */
export function isDay(text: unknown): text is string {
  if (typeof text !== 'string' || !/^(?!0000)\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(text);
  // Date.parse reads 31 February as a day in March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** A time that Postgres also has: JavaScript's begin 271,822 years before Christ. */
export const IsTime = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isTime', validator: { validate: (at) => at instanceof Date && at.getTime() >= 0 && at.getUTCFullYear() < 10_000 } },
    { message: 'must be a time, as in 2026-11-01T00:00:00Z' },
  );

/** A county's FIPS code. */
export const IsFips = (): PropertyDecorator => Matches(/^[0-9]{5}$/, { message: 'must be five digits' });

/** Text in which a pattern of `like` finds no signs of its own. */
export const literally = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** In SQL: whether the text of a parameter is in one of the columns, without regard to case. An index of trigrams finds it. */
export function hasText(parameter: string, ...columns: string[]): string {
  const pattern = `'%' || regexp_replace(lower(${parameter}), '([\\\\%_])', '\\\\\\1', 'g') || '%'`;
  return `(${columns.map((column) => `lower(cast(${column} as text)) like ${pattern}`).join(' or ')})`;
}
