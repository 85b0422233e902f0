import { useWindowEvent } from '@mantine/hooks';
import { createContext, startTransition, useCallback, useContext, useEffect, useEffectEvent, useRef, useState } from 'react';

/** Answers by their questions, so that a page shows at once what it has shown before. */
export interface Remembered {
  answers: Map<string, unknown>;
  /** Answers that came with this document: they need not be asked for again. */
  fresh: Set<string>;
}

export const RememberedContext = createContext<Remembered>({ answers: new Map(), fresh: new Set() });

/** The state of a question to a server. */
export interface Answer<T> {
  /** The last one. It stays while a newer one is loading, so the layout does not shift. */
  data: T | undefined;
  /** Whether it answers the question before this one, such as another page of a list. */
  isOutdated: boolean;
  /** In words for users. */
  error: Error | undefined;
  isLoading: boolean;
  refetch: () => void;
}

interface Asked {
  /** The last question that was answered or failed. */
  of: string | undefined;
  error: Error | undefined;
  isLoading: boolean;
}

/**
 * Shows the kept answer to a question at once, and asks for a new one. Answers of earlier calls are ignored.
 * @param question names what `load` asks for; undefined: there is nothing to ask for yet
 * @param isFixed an answer never changes
 */
export function useRemote<T>(question: string | undefined, load: (signal: AbortSignal) => Promise<T>, isFixed = false): Answer<T> {
  const { answers, fresh } = useContext(RememberedContext);
  const [attempt, setAttempt] = useState(0);
  const [asked, setAsked] = useState<Asked>({ of: undefined, error: undefined, isLoading: true });
  const ask = useEffectEvent(load);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt asks the same again
  useEffect(() => {
    if (question === undefined) return;
    const settle = (error?: Error) => setAsked({ of: question, error, isLoading: false });
    if (fresh.delete(question) || (isFixed && answers.has(question))) return settle();
    const controller = new AbortController();
    setAsked((before) => ({ ...before, isLoading: true }));
    ask(controller.signal)
      .then((data) => {
        if (!controller.signal.aborted) answers.set(question, data);
      })
      .catch((error: Error & { endsAnswer?: boolean }) => {
        if (error.endsAnswer) answers.delete(question);
        return error;
      })
      .then((error) => !controller.signal.aborted && startTransition(() => settle(error ?? undefined)));
    return () => controller.abort();
  }, [question, attempt]);

  const refetch = useCallback(() => setAttempt((count) => count + 1), []);
  // After reconnecting, the data may be stale.
  useWindowEvent('online', refetch);
  const isAsked = question !== undefined && asked.of !== question;
  const isKept = question !== undefined && answers.has(question);
  // An answer that was kept is shown before the question is asked again.
  const shown = useRef('');
  if (isKept) shown.current = question;
  const hasNone = question !== undefined && !isAsked && !isKept;
  const data = hasNone ? undefined : (answers.get(shown.current) as T | undefined);
  return {
    data,
    isOutdated: isAsked && !isKept && data !== undefined,
    error: isAsked ? undefined : asked.error,
    isLoading: isAsked || (question !== undefined && asked.isLoading),
    refetch,
  };
}
