/** Those in which examples are written. */
export const languages = ['curl', 'javascript', 'python'] as const;
export type Language = (typeof languages)[number];
