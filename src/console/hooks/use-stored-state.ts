import { useCallback, useState } from 'react';

/** State that is stored in this browser under a name, if it allows storage. Without a name it lasts as long as the page. */
export function useStoredState<Value>(name: string | undefined, initial: Value): [Value, (value: Value) => void] {
  const [value, setValue] = useState<Value>(() => (name ? read<Value>(name) : undefined) ?? initial);
  const remember = useCallback(
    (next: Value) => {
      setValue(next);
      if (name) write(name, next);
    },
    [name],
  );
  return [value, remember];
}

function read<Value>(name: string): Value | undefined {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

function write(name: string, value: unknown): void {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Without storage, the next visit starts with the initial value.
  }
}
