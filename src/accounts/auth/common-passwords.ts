import { dictionary } from '@zxcvbn-ts/language-common';

const passwordCount = 3000;

/** The most common leaked passwords of at least 8 characters, in lower case. */
const common = new Set(
  dictionary['passwords-common']
    .map((password) => String(password).toLowerCase())
    .filter((password) => password.length >= 8)
    .slice(0, passwordCount),
);

export const isCommonPassword = (password: string): boolean => common.has(password.toLowerCase());

const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Whether a password is one of these words plus at most three characters. Attackers try such passwords first, too. */
export const consistsOfWords = (password: string, words: string[]): boolean =>
  words.map(plain).some((word) => word.length >= 4 && plain(password).includes(word) && plain(password).length < word.length + 4);
