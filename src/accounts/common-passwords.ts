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
