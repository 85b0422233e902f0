import { docPages } from '../../docs/doc-pages.js';
import { parametersOf, recordFields } from '../../docs/fields.js';
import { sectionText } from '../../docs/markdown.js';
import { errorsOf } from '../../docs/openapi.js';
import { type Block, type DocsSource, sectionsOf } from '../../docs/sections.js';

/** A topic of the docs, and where it is. */
export interface SearchEntry {
  key: string;
  id: string;
  href: string;
  label: string;
  hint: string;
  /** The searched text, in lower case. */
  text: string;
}

/** Everything that the pages say, by its parts: sections, fields, parameters and errors. Equal matches are listed in this order. */
export function buildSearchIndex(source: DocsSource): SearchEntry[] {
  return docPages.flatMap((page) => {
    const entry = (id: string, label: string, hint: string, text = ''): SearchEntry => ({
      key: `${page.name} ${id}`,
      id,
      href: id === 'main' ? page.path : `${page.path}#${id}`,
      label,
      hint,
      text: `${label} ${hint} ${text}`.toLowerCase(),
    });
    return sectionsOf(page, source).flatMap((section) => [
      section.level === 1
        ? entry('main', page.title, 'page', `${page.description} ${sectionText(section, source)}`)
        : entry(section.id, section.title, page.title, sectionText(section, source)),
      ...section.blocks.flatMap((block) => partsOf(block, source).map(([id, label, hint, text]) => entry(id, label, hint, text))),
    ]);
  });
}

function partsOf(block: Block, { contract }: DocsSource): [id: string, label: string, hint: string, text: string][] {
  switch (block.kind) {
    case 'record':
      return recordFields(contract).map(({ name, facts, meaning }) => [
        `record-${name}`,
        name,
        'field of a record',
        `${facts.join(' ')} ${meaning}`,
      ]);
    case 'errors':
      return errorsOf(contract).map(({ code, status, meaning, cure }) => [`error-${code}`, code, `error ${status}`, `${meaning} ${cure}`]);
    case 'operation':
      return parametersOf(contract, block.entry.operation).map(({ name, meaning = '' }) => [
        `${block.entry.id}-${name}`,
        name,
        `parameter of ${block.entry.path}`,
        meaning,
      ]);
    default:
      return [];
  }
}

const maxResults = 10;

/** The entries that have all words of a text, or words that start with them. Names that start with the text come first, then names that contain it. */
export function search(index: SearchEntry[], text: string): SearchEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const wanted = words.join(' ');
  const rank = ({ label }: SearchEntry) => {
    const name = label.toLowerCase();
    return name.startsWith(wanted) ? 0 : name.includes(wanted) ? 1 : 2;
  };
  return index
    .filter(({ text: searched }) => words.every((word) => hasWord(searched, word)))
    .sort((one, other) => rank(one) - rank(other))
    .slice(0, maxResults);
}

/** The parts of a name such as `land_value` count as words. */
function hasWord(text: string, start: string): boolean {
  for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + 1)) {
    if (at === 0 || !/[a-z0-9]/.test(text[at - 1]!) || !/^[a-z0-9]/.test(start)) return true;
  }
  return false;
}
