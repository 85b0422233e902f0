import { readFileSync } from 'node:fs';
import { projectFile } from '../../../src/core/project-files.js';
import { states } from '../../../src/counties/states.js';
import type { Properties } from '../../../src/loader/formats/source-row.js';

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

/** Kinds of values and forty of each, in which the state and the beginning of its ZIP codes are left open. What goes with another kind is marked with `!`. */
const values = new Map<string, { isFixed: boolean; list: unknown[] }>(
  readFileSync(projectFile('test/loader/schemas/values.txt'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, kind = '', mark, list = '[]'] = /^(\w+)(!?) (.*)$/.exec(line)!;
      return [kind, { isFixed: mark === '!', list: JSON.parse(list) }];
    }),
);

/** Rows of invented values, the same each time: those of a column begin at a place of its own. */
export function rowsOf({ columns, state }: Schema): Properties[] {
  const zip = states[state]![2].slice(-3);
  const lists = columns.map(({ name, kind }) => {
    const { isFixed, list } = values.get(kind)!;
    const shift = isFixed ? 0 : [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 997, 7) % list.length;
    const turned = [...list.slice(shift), ...list.slice(0, shift)];
    return turned.map((value) => (typeof value === 'string' ? value.replace('{state}', state).replace('{zip}', zip) : value));
  });
  return lists[0]!.map((_, row) => Object.fromEntries(columns.map(({ name }, i) => [name, lists[i]![row]])));
}
