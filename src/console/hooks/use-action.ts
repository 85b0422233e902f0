import { useCallback, useRef, useState } from 'react';

export interface Action<A extends unknown[]> {
  /** Resolves to whether it succeeded. While it runs, further calls do nothing, so that a double click acts once. */
  run: (...args: A) => Promise<boolean>;
  isBusy: boolean;
  error: Error | undefined;
  clearError: () => void;
}

/** Runs what a person starts by a button or a form, with its state for the page: busy, and the error if it failed. */
export function useAction<A extends unknown[]>(act: (...args: A) => Promise<unknown>): Action<A> {
  const isRunning = useRef(false);
  const latest = useRef(act);
  latest.current = act;
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<Error>();

  const run = useCallback(async (...args: A) => {
    if (isRunning.current) return false;
    isRunning.current = true;
    setIsBusy(true);
    setError(undefined);
    try {
      await latest.current(...args);
      return true;
    } catch (failure) {
      setError(failure as Error);
      return false;
    } finally {
      isRunning.current = false;
      setIsBusy(false);
    }
  }, []);

  return { run, isBusy, error, clearError: useCallback(() => setError(undefined), []) };
}
