import { useWindowEvent } from '@mantine/hooks';
import { startTransition, useCallback, useEffect, useState } from 'react';

export interface Remote<T> {
  /** The last answer; it stays while a newer one is loading, so that nothing moves. */
  data: T | undefined;
  error: Error | undefined;
  isLoading: boolean;
  reload: () => void;
}

const remembered = new Map<string, unknown>();

/**
 * Calls `load` whenever it changes identity (wrap it in useCallback), and ignores answers of earlier calls.
 * @param name of what is loaded. With it the last answer is shown until there is a newer one: Back finds the page as high as it was, so the
 * browser can return to the place in it.
 */
export function useRemote<T>(load: (signal: AbortSignal) => Promise<T>, name?: string): Remote<T> {
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<Omit<Remote<T>, 'reload'>>(() => ({
    data: name === undefined ? undefined : (remembered.get(name) as T | undefined),
    error: undefined,
    isLoading: true,
  }));

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is another run of the same load
  useEffect(() => {
    const controller = new AbortController();
    setState((previous) => ({ ...previous, isLoading: true }));
    load(controller.signal)
      .then((data) => {
        if (controller.signal.aborted) return;
        if (name !== undefined) remembered.set(name, data);
        startTransition(() => setState({ data, error: undefined, isLoading: false }));
      })
      .catch((error: Error) => {
        if (!controller.signal.aborted) setState((previous) => ({ ...previous, error, isLoading: false }));
      });
    return () => controller.abort();
  }, [load, name, attempt]);

  const reload = useCallback(() => setAttempt((count) => count + 1), []);
  // Back on the network, what is shown may be old.
  useWindowEvent('online', reload);
  return { ...state, reload };
}
