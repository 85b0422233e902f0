import { dictionary } from '@zxcvbn-ts/language-common';

const passwordCount = 3000;

/** The commonest passwords of known leaks among those that are long enough for us, without regard to case. */
const common = new Set(
  dictionary['passwords-common']
    .map((password) => String(password).toLowerCase())
    .filter((password) => password.length >= 8)
    .slice(0, passwordCount),
);

export const isCommonPassword = (password: string): boolean => common.has(password.toLowerCase());

const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Whether a password is little more than one of these words, which whoever guesses tries first, too. */
export const isMadeOf = (password: string, words: string[]): boolean =>
  words.map(plain).some((word) => word.length >= 4 && plain(password).includes(word) && plain(password).length < word.length + 4);
