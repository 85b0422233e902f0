import { useSyncExternalStore } from 'react';

/** A value of this document that all its parts share. @param onServer what the server renders, and a browser at first */
export function sharedValue<Value>(initial: Value, onServer = initial) {
  let value = initial;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get: () => value,
    set(next: Value): void {
      value = next;
      for (const listener of listeners) listener();
    },
    useValue: (): Value =>
      useSyncExternalStore(
        subscribe,
        () => value,
        () => onServer,
      ),
  };
}

/** False on the server and for the first render of its page in a browser, which must be alike: neither knows the time zone or the scheme. */
export const useIsHydrated = sharedValue(true, false).useValue;
