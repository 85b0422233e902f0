/** The languages of the code examples. */
export const languages = ['curl', 'javascript', 'python'] as const;
export type Language = (typeof languages)[number];
