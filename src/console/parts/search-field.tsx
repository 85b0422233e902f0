import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { useFilters } from './use-filters.js';

const pauseMs = 300;

interface SearchFieldProps {
  label: string;
  /** The name of the filter in the address. */
  name?: string;
  placeholder?: string;
  width?: number;
}

/** Searches for what is typed, after a short pause; the text is in the address. */
export function SearchField({ label, name = 'search', placeholder, width = 320 }: SearchFieldProps) {
  const { get, setFilter } = useFilters();
  const [text, setText] = useState(get(name) ?? '');
  const search = useDebouncedCallback((words: string) => setFilter(name, words.trim() || null), pauseMs);
  return (
    <TextInput
      type="search"
      label={label}
      placeholder={placeholder}
      value={text}
      w={{ base: '100%', xs: width }}
      onChange={(event) => {
        setText(event.currentTarget.value);
        search(event.currentTarget.value);
      }}
    />
  );
}
