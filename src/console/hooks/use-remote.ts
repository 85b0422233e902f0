import { useWindowEvent } from '@mantine/hooks';
import { createContext, startTransition, useCallback, useContext, useEffect, useState } from 'react';

/** Answers of the server by name, so that a page shows at once what it has shown before. */
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
 * @param name a cache key. With it, the last answer is shown until a newer one arrives, so the page keeps its height and Back can restore
 * the scroll position.
 */
export function useRemote<T>(load: (signal: AbortSignal) => Promise<T>, name?: string): Answer<T> {
  const { answers, fresh } = useContext(RememberedContext);
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<Omit<Answer<T>, 'refetch'>>(() => ({
    data: name === undefined ? undefined : (answers.get(name) as T | undefined),
    error: undefined,
    isLoading: name === undefined || !answers.has(name),
  }));

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt runs the same load again
  useEffect(() => {
    if (name !== undefined && fresh.delete(name)) return;
    const controller = new AbortController();
    setState((previous) => ({ ...previous, isLoading: name === undefined || previous.data === undefined }));
    load(controller.signal)
      .then((data) => {
        if (controller.signal.aborted) return;
        if (name !== undefined) answers.set(name, data);
        startTransition(() => setState({ data, error: undefined, isLoading: false }));
      })
      .catch((error: Error) => {
        if (!controller.signal.aborted) setState((previous) => ({ ...previous, error, isLoading: false }));
      });
    return () => controller.abort();
  }, [load, name, attempt]);

  const refetch = useCallback(() => setAttempt((count) => count + 1), []);
  // After reconnecting, the data may be stale.
  useWindowEvent('online', refetch);
  return { ...state, refetch };
}
