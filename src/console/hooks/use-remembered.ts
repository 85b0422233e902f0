import { useCallback, useState } from 'react';

/** A value that this browser remembers under a name, if it may keep anything. Without a name it lives as long as the page. */
export function useRemembered<Value>(name: string | undefined, initial: Value): [Value, (value: Value) => void] {
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
    // A browser that keeps nothing shows the initial value again next time.
  }
}
