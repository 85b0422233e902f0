import { useSyncExternalStore } from 'react';
import { type Language, languages } from '../format/languages.js';

const key = 'example-language';
const listeners = new Set<() => void>();
let chosen: Language = remembered();

/** The language of all examples on the page, which this browser remembers, if it may keep anything. */
export function useLanguage(): [Language, (language: Language) => void] {
  return [useSyncExternalStore(subscribe, () => chosen), choose];
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function choose(language: Language): void {
  chosen = language;
  try {
    localStorage.setItem(key, language);
  } catch {
    // A browser that keeps nothing begins with the first language next time.
  }
  for (const listener of listeners) listener();
}

function remembered(): Language {
  try {
    const value = localStorage.getItem(key) as Language;
    return languages.includes(value) ? value : 'curl';
  } catch {
    return 'curl';
  }
}
