import { withoutTokens } from '../core/log.js';

const maxLength = 500;

/** Method and URL of a call as they are stored: cut, and without a token that a caller put into the URL. */
export function requestLineOf(method: string, url: string): string {
  let plain = url;
  // What was encoded twice, too.
  for (let before = ''; plain !== before && plain.includes('%'); ) {
    before = plain;
    plain = plain.replace(printable, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  }
  const safe = withoutTokens(plain);
  return `${method} ${(safe === plain ? url : safe).slice(0, maxLength)}`;
}

const printable = /%([2-7][0-9a-f])/gi;
