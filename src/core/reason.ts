import { invalidRequest, quoteValue, tellingLines, tellingTextRule } from './parameters.js';

const maxLength = 500;

declare const isRead: unique symbol;

/** Why an operator does something, as the audit log and the ledger keep it for ever: only `readReason` makes one. */
export type Reason = string & { [isRead]: true };

/**
 * What an operator wrote, without the blanks around it.
 * @throws AppError invalid_request for one that says nothing, is too long, or has characters that hide, turn around or forge text
 */
export function readReason(text: string): Reason {
  const reason = text.trim();
  if (reason.length > maxLength) throw refused(`must have ${maxLength} characters at the most, not ${reason.length}`);
  if (!tellingLines.test(reason)) throw refused(`${tellingTextRule.message}, not ${quoteValue(text)}`);
  return reason as Reason;
}

const refused = (message: string) => invalidRequest([{ parameter: 'reason', message }]);
