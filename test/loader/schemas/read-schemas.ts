import { readFileSync } from 'node:fs';
import type { Properties } from '../../../src/loader/formats/source-row.js';
import { invented } from './invented-values.js';

export interface Schema {
  name: string;
  state: string;
  /** Each column's meaning: `must` is the field's source, `may` says it as well. Of several fields (a/b) it is a part of each. */
  columns: { name: string; fields: string[]; isAlternative: boolean; kind: string }[];
}

/** Reads schemas written as `seen.txt` says. */
export function readSchemas(path: string): Schema[] {
  const text = readFileSync(path, 'utf8');
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [name = '', ...lines] = section.trim().split('\n');
      const state = /, ([A-Z]{2})\b/.exec(name)?.[1] ?? 'CA';
      return { name, state: statewide[name.split(',')[0]!] ?? state, columns: lines.join(' ').split(',').map(readColumn) };
    });
}

const statewide: Record<string, string> = { Florida: 'FL', Massachusetts: 'MA', Utah: 'UT', 'New York': 'NY', Montana: 'MT', Texas: 'TX' };

function readColumn(text: string): Schema['columns'][number] {
  const [, name = '', field, mark, kind] = /^([^=:]+)(?:=([a-z_0-9/]+)(~)?)?(?::([a-z0-9_]+))?$/.exec(text.trim()) ?? [];
  if (!name) throw new Error(`What is “${text}”?`);
  return { name: name.trim(), fields: field?.split('/') ?? [], isAlternative: mark !== undefined, kind: kind ?? field ?? 'text' };
}

/** Rows of invented values, the same each time. */
export function rowsOf({ columns, state }: Schema, count = 40): Properties[] {
  return Array.from({ length: count }, (_, row) =>
    Object.fromEntries(columns.map(({ name, kind }) => [name, invented(kind, row, state, name)])),
  );
}
