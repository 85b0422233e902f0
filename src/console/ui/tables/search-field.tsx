import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { useFilters } from '../../hooks/use-filters.js';

const pauseMs = 300;

interface SearchFieldProps {
  label: string;
  /** The name of the filter in the URL. */
  name?: string;
  placeholder?: string;
  width?: number;
  /** Why the search was refused. */
  error?: string | undefined;
}

/** Searches while the user types, after a short pause. The text is in the URL. */
export function SearchField({ label, name = 'search', placeholder, width = 320, error }: SearchFieldProps) {
  const { get, setFilter } = useFilters();
  const inAddress = get(name) ?? '';
  const [text, setText] = useState(inAddress);
  const searched = useRef(inAddress);
  const search = useDebouncedCallback((words: string) => {
    searched.current = words.trim();
    setFilter(name, searched.current || null);
  }, pauseMs);
  // The URL can also change without the field: by Back, or by a link to the whole list.
  useEffect(() => {
    if (searched.current === inAddress) return;
    searched.current = inAddress;
    search.cancel();
    setText(inAddress);
  }, [inAddress, search]);
  return (
    <TextInput
      type="search"
      label={label}
      placeholder={placeholder}
      value={text}
      error={error}
      styles={{ error: { overflowWrap: 'anywhere' } }}
      w={{ base: '100%', xs: width }}
      onChange={(event) => {
        setText(event.currentTarget.value);
        search(event.currentTarget.value);
      }}
    />
  );
}
