import { snakeCase } from './parameters.js';

/** One line for a terminal. Characters that move the cursor, change colors or reverse the text's direction are shown as `�`. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');

/** Prints one line of JSON to standard output, with names as in the REST contract. */
export function printJson(value: object): void {
  console.log(JSON.stringify(value, (_name, inner) => (isNamed(inner) ? inSnakeCase(inner) : inner)));
}

const isNamed = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);

const inSnakeCase = (value: object) => Object.fromEntries(Object.entries(value).map(([name, inner]) => [snakeCase(name), inner]));
