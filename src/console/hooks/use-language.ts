import { type Language, languages } from '../../docs/programs.js';
import { sharedValue } from './shared-value.js';

const key = 'example-language';
const chosen = sharedValue<Language>(remembered(), languages[0]!);

/** The language of all examples, stored in this browser if it allows storage. */
export const useLanguage = (): [Language, (language: Language) => void] => [chosen.useValue(), choose];

function choose(language: Language): void {
  chosen.set(language);
  try {
    localStorage.setItem(key, language);
  } catch {
    // Without storage, the next visit starts with the first language.
  }
}

function remembered(): Language {
  try {
    const value = localStorage.getItem(key) as Language;
    return languages.includes(value) ? value : 'curl';
  } catch {
    return 'curl';
  }
}
