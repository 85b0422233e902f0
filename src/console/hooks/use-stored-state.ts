import { readLocalStorageValue } from '@mantine/hooks';
import { useState } from 'react';

/** State that is stored in this browser under a name, if it allows storage. Without a name it lasts as long as the page. */
export function useStoredState<Value>(name: string | undefined, initial: Value): [Value, (value: Value) => void] {
  const [value, setValue] = useState<Value>(() => (name ? readLocalStorageValue({ key: name, defaultValue: initial }) : initial));
  const remember = (next: Value) => {
    setValue(next);
    try {
      if (name) localStorage.setItem(name, JSON.stringify(next));
    } catch {
      // Without storage, the next visit starts with the initial value.
    }
  };
  return [value, remember];
}
