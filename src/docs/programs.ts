/** The languages of the code examples. */
export const languages = ['curl', 'javascript', 'python'] as const;
export type Language = (typeof languages)[number];

const endings: Record<Language, string> = { curl: 'sh', javascript: 'mjs', python: 'py' };

/**
 * A program of the docs in each language that it is written in, naming this service instead of the address on which `npm start` listens.
 * `test/console/programs.test.ts` runs them through crashes and a reload.
 */
export function programs(name: string, texts: Record<string, string>, baseUrl: string): Partial<Record<Language, string>> {
  const codes = Object.entries(endings).map(([language, ending]) => [language, texts[`${name}.${ending}`]] as const);
  return Object.fromEntries(
    codes.filter(([, code]) => code).map(([language, code]) => [language, code!.replace('http://localhost:3000', baseUrl)]),
  );
}
