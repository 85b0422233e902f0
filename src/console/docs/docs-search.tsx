import { useHotkeys } from '@mantine/hooks';
import { useMemo, useRef, useState } from 'react';
import { Combobox } from '../ui/combobox.js';
import { guides } from './guides.js';
import type { OpenApi } from './openapi.js';
import { indexOf, type SearchEntry, search } from './search-index.js';

/** Finds operations, fields, errors and guides; `/` leads into it from anywhere on the page. */
export function DocsSearch({ document: contract }: { document: OpenApi | undefined }) {
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const isWanted = text !== '';
  const index = useMemo(() => (contract && isWanted ? indexOf(contract, guides) : []), [contract, isWanted]);
  useHotkeys([['/', () => field.current?.focus()]]);

  const open = ({ id }: SearchEntry) => {
    setText('');
    window.location.hash = id;
    const found = document.getElementById(id);
    const target = found?.querySelector<HTMLElement>('h2, h3') ?? found;
    // So that the keyboard goes on from there.
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
      empty="Nothing of this name."
    />
  );
}
