import { useSyncExternalStore } from 'react';

// In memory only: a reload, a sign-out and another tab know nothing of it.
let held = '';
const listeners = new Set<() => void>();

/** Fills a token in wherever a call can be tried on this page. It is never stored, and never in a URL. */
export function holdToken(token: string): void {
  held = token;
  for (const listener of listeners) listener();
}

export const useHeldToken = (): string =>
  useSyncExternalStore(
    subscribe,
    () => held,
    () => '',
  );

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
