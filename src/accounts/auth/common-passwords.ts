import { dictionary } from '@zxcvbn-ts/language-common';
import { AppError } from '../../core/errors.js';

const passwordCount = 3000;

/** The most common leaked passwords of at least 8 characters, in lower case. */
const common = new Set(
  dictionary['passwords-common']
    .map((password) => String(password).toLowerCase())
    .filter((password) => password.length >= 8)
    .slice(0, passwordCount),
);

/**
 * @param words our name, our host, and the person's address
 * @throws AppError `invalid_request` for a common password, and for one of the words plus at most three characters
 */
export function refuseCommonPassword(password: string, words: string[]): void {
  const isWord = (word: string) => word.length >= 4 && plain(password).includes(word) && plain(password).length < word.length + 4;
  if (!common.has(password.toLowerCase()) && !words.map(plain).some(isWord)) return;
  const message = 'This password is among the first that attackers try. Choose another, such as a few random words.';
  throw new AppError('invalid_request', message, { details: [{ parameter: 'password', message }] });
}

const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
