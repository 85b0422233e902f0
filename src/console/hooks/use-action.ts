import { useRef, useState } from 'react';

export interface Action<A extends unknown[]> {
  /** Resolves to whether the action succeeded. Calls during a run are ignored, so a double click acts once. */
  run: (...args: A) => Promise<boolean>;
  isBusy: boolean;
  /** The arguments of the run that is under way, where one of several buttons is busy. */
  running: A | undefined;
  error: Error | undefined;
  clearError: () => void;
}

/** Runs an action started by a button or a form, and exposes its state: busy, and the error if it failed. */
export function useAction<A extends unknown[]>(act: (...args: A) => Promise<unknown>): Action<A> {
  const isRunning = useRef(false);
  const [running, setRunning] = useState<A>();
  const [error, setError] = useState<Error>();

  const run = async (...args: A) => {
    if (isRunning.current) return false;
    isRunning.current = true;
    setRunning(args);
    setError(undefined);
    try {
      await act(...args);
      return true;
    } catch (failure) {
      setError(failure as Error);
      return false;
    } finally {
      isRunning.current = false;
      setRunning(undefined);
    }
  };

  return { run, isBusy: running !== undefined, running, error, clearError: () => setError(undefined) };
}
