import type { Properties } from '../source.js';

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** The rows of two cells, name and value, of a table in HTML; null where there are fewer than two. */
export function readHtmlTable(html: string): Properties | null {
  const properties: Properties = {};
  for (const line of html.split(/<tr[\s>]/i)) {
    const cells = line.split(/<t[dh][\s>]/i).slice(1);
    if (cells.length !== 2) continue;
    const [name, value] = cells.map(textOfCell) as [string, string];
    if (name !== '') properties[name] = value;
  }
  return Object.keys(properties).length >= 2 ? properties : null;
}

/** The text of a cell that is cut behind the name of its tag. */
function textOfCell(cell: string): string {
  const text = cell.startsWith('>') ? cell.slice(1) : cell.replace(/^[^<]*?>/, '');
  return text
    .replace(/<[^>]*>/g, '')
    .replace(/&(#\d+|#x[\da-f]+|\w+);/gi, (whole, name: string) => (name.startsWith('#') ? characterOf(name) : entities[name]) ?? whole)
    .trim();
}

const lastCharacter = 0x10ffff;

/** By its number, as `#39` or `#x27`; undefined: none has it. */
function characterOf(name: string): string | undefined {
  const code = Number(name.slice(1).replace(/^x/i, '0x'));
  return code <= lastCharacter ? String.fromCodePoint(code) : undefined;
}
