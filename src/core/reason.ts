import { invalidRequest, quoteValue, visibleLines, visibleTextRule } from './parameters.js';

const maxLength = 500;

declare const isRead: unique symbol;

/** The reason for an operator's action, stored permanently in the activity log and the ledger. Only `readReason` creates one. */
export type Reason = string & { [isRead]: true };

/**
 * Trims and checks a reason.
 * @throws AppError invalid_request if it has no visible character, is too long, or has control or format characters
 */
export function readReason(text: string): Reason {
  const reason = text.trim();
  if (reason.length > maxLength) throw refused(`must have ${maxLength} characters at the most, not ${reason.length}`);
  if (!visibleLines.test(reason)) throw refused(`${visibleTextRule.message}, not ${quoteValue(text)}`);
  return reason as Reason;
}

const refused = (message: string) => invalidRequest([{ parameter: 'reason', message }]);
