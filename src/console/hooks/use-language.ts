import { useSyncExternalStore } from 'react';
import { type Language, languages } from '../../docs/programs.js';

const key = 'example-language';
const listeners = new Set<() => void>();
let chosen: Language = remembered();

/** The language of all examples, stored in this browser if it allows storage. */
export function useLanguage(): [Language, (language: Language) => void] {
  return [
    useSyncExternalStore(
      subscribe,
      () => chosen,
      () => languages[0]!,
    ),
    choose,
  ];
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
    // Without storage, the next visit starts with the first language.
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
