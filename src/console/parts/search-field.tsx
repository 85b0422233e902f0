import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { useFilters } from './use-filters.js';

const pauseMs = 300;

/** Searches for what is typed, after a short pause; the text is in the address (`?search=`). */
export function SearchField({ label, placeholder }: { label: string; placeholder?: string }) {
  const { get, setFilter } = useFilters();
  const [text, setText] = useState(get('search') ?? '');
  const search = useDebouncedCallback((words: string) => setFilter('search', words.trim() || null), pauseMs);
  return (
    <TextInput
      type="search"
      label={label}
      placeholder={placeholder}
      value={text}
      w={{ base: '100%', xs: 320 }}
      onChange={(event) => {
        setText(event.currentTarget.value);
        search(event.currentTarget.value);
      }}
    />
  );
}
