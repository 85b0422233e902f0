import { useHotkeys } from '@mantine/hooks';
import { useMemo, useRef, useState } from 'react';
import { Combobox } from '../ui/combobox.js';
import { guides } from './guides.js';
import type { OpenApi } from './openapi.js';
import { buildSearchIndex, type SearchEntry, search } from './search-index.js';

/** Finds operations, fields, errors and guides. Pressing `/` anywhere on the page focuses it. */
export function DocsSearch({ document: contract }: { document: OpenApi | undefined }) {
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const isWanted = text !== '';
  const index = useMemo(() => (contract && isWanted ? buildSearchIndex(contract, guides) : []), [contract, isWanted]);
  useHotkeys([['/', () => field.current?.focus()]]);

  const open = ({ id }: SearchEntry) => {
    setText('');
    window.location.hash = id;
    const found = document.getElementById(id);
    const target = found?.querySelector<HTMLElement>('h2, h3') ?? found;
    // Keyboard users continue from there.
    target?.setAttribute('tabindex', '-1');
    target?.focus();
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
