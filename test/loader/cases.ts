import { readdirSync, readFileSync } from 'node:fs';
import { projectFile } from '../../src/core/project-files.js';

export interface Case<Options> {
  title: string;
  options: Options;
  lines: string[];
}

/** The cases of a file in a folder of tables: `## what is so {options}`, then lines. */
export function casesIn<Options>(folder: string, file: string): Case<Options>[] {
  const sections = readFileSync(projectFile(`test/loader/${folder}/${file}`), 'utf8')
    .split(/^## /m)
    .slice(1);
  return sections.map((section) => {
    const [head = '', ...lines] = section.trimEnd().split('\n');
    const [, title = '', options = '{}'] = /^(.*?)(?: (\{.*\}))?$/.exec(head)!;
    return { title, options: JSON.parse(options), lines };
  });
}

/** The files of a folder of tables. */
export const tablesIn = (folder: string): string[] => readdirSync(projectFile(`test/loader/${folder}`));

/** Splits lines where the first of them begins with one of these marks. */
export function splitAt(lines: string[], marks: RegExp): [given: string[], expected: string[]] {
  const end = lines.findIndex((line) => marks.test(line));
  return end < 0 ? [lines, []] : [lines.slice(0, end), lines.slice(end)];
}
