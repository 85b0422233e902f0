import { useWindowEvent } from '@mantine/hooks';
import { startTransition, useCallback, useEffect, useState } from 'react';

export interface Remote<T> {
  /** The last answer; it stays while a newer one is loading, so that nothing moves. */
  data: T | undefined;
  error: Error | undefined;
  isLoading: boolean;
  reload: () => void;
}

/** Calls `load` whenever it changes identity (wrap it in useCallback), and ignores answers of earlier calls. */
export function useRemote<T>(load: (signal: AbortSignal) => Promise<T>): Remote<T> {
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<Omit<Remote<T>, 'reload'>>({ data: undefined, error: undefined, isLoading: true });

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is another run of the same load
  useEffect(() => {
    const controller = new AbortController();
    setState((previous) => ({ ...previous, isLoading: true }));
    load(controller.signal)
      .then((data) => {
        if (!controller.signal.aborted) startTransition(() => setState({ data, error: undefined, isLoading: false }));
      })
      .catch((error: Error) => {
        if (!controller.signal.aborted) setState((previous) => ({ ...previous, error, isLoading: false }));
      });
    return () => controller.abort();
  }, [load, attempt]);

  const reload = useCallback(() => setAttempt((count) => count + 1), []);
  // Back on the network, what is shown may be old.
  useWindowEvent('online', reload);
  return { ...state, reload };
}
