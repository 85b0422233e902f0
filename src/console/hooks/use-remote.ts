import { useWindowEvent } from '@mantine/hooks';
import { createContext, startTransition, useCallback, useContext, useEffect, useState } from 'react';

/** Answers of the server by their paths, so that a page shows at once what it has shown before. */
export interface Remembered {
  answers: Map<string, unknown>;
  /** Answers that came with this document: they need not be asked for again. */
  fresh: Set<string>;
}

export const RememberedContext = createContext<Remembered>({ answers: new Map(), fresh: new Set() });

/** The state of a question to the server. */
export interface Answer<T> {
  /** The last one. It stays while a newer one is loading, so the layout does not shift. */
  data: T | undefined;
  /** In words for users. */
  error: Error | undefined;
  isLoading: boolean;
  refetch: () => void;
}

/**
 * Calls `load` whenever it changes identity (wrap it in useCallback), and ignores answers of earlier calls.
 * @param path of what is asked for. With it, the last answer is shown until a newer one arrives, so the page keeps its height and Back can restore
 * the scroll position.
 */
export function useRemote<T>(load: (signal: AbortSignal) => Promise<T>, path?: string): Answer<T> {
  const { answers, fresh } = useContext(RememberedContext);
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<Omit<Answer<T>, 'refetch'>>(() => ({
    data: path === undefined ? undefined : (answers.get(path) as T | undefined),
    error: undefined,
    isLoading: path === undefined || !answers.has(path),
  }));

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt runs the same load again
  useEffect(() => {
    if (path !== undefined && fresh.delete(path)) return;
    const controller = new AbortController();
    setState((previous) => ({ ...previous, isLoading: path === undefined || previous.data === undefined }));
    load(controller.signal)
      .then((data) => {
        if (controller.signal.aborted) return;
        if (path !== undefined) answers.set(path, data);
        startTransition(() => setState({ data, error: undefined, isLoading: false }));
      })
      .catch((error: Error) => {
        if (!controller.signal.aborted) setState((previous) => ({ ...previous, error, isLoading: false }));
      });
    return () => controller.abort();
  }, [load, path, attempt]);

  const refetch = useCallback(() => setAttempt((count) => count + 1), []);
  // After reconnecting, the data may be stale.
  useWindowEvent('online', refetch);
  return { ...state, refetch };
}
