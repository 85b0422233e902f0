import { useHotkeys } from '@mantine/hooks';
import { useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { DocsSource } from '../../docs/sections.js';
import { Combobox } from '../ui/combobox.js';
import { buildSearchIndex, type SearchEntry, search } from './search-index.js';

/** Searches all texts of all pages. Pressing `/` anywhere on the page focuses it. */
export function DocsSearch({ source }: { source: DocsSource | undefined }) {
  const [text, setText] = useState('');
  const [, navigate] = useLocation();
  const field = useRef<HTMLInputElement>(null);
  const isWanted = text !== '';
  const index = useMemo(() => (source && isWanted ? buildSearchIndex(source) : []), [source, isWanted]);
  useHotkeys([['/', () => field.current?.focus()]]);

  const open = ({ href, id }: SearchEntry) => {
    setText('');
    navigate(href);
    reveal(id);
  };
  return (
    <Combobox
      inputRef={field}
      label="Search the docs"
      placeholder="Search the docs (press /)"
      text={text}
      onText={setText}
      choices={search(index, text)}
      onChoose={open}
      empty="No results."
    />
  );
}

/** Scrolls to an element, unfolds what it is in, and focuses it, so that the keyboard goes on from there. @returns whether it exists */
export function reveal(id: string): boolean {
  const target = document.getElementById(id);
  const folded = target?.closest('details');
  if (folded) folded.open = true;
  target?.setAttribute('tabindex', '-1');
  target?.scrollIntoView();
  target?.focus({ preventScroll: true });
  return target !== null;
}
