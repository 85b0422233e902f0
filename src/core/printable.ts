import { inSnakeCase } from './snake-case.js';

/** One line for a terminal. Characters that move the cursor, change colors or reverse the text's direction are shown as `�`. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');

/** Prints one line of JSON to standard output, with names as in the REST contract. */
export function printJson(value: object): void {
  console.log(JSON.stringify(inSnakeCase(value)));
}
