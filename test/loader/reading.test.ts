import { readdirSync, readFileSync } from 'node:fs';
import { projectFile } from '../../src/core/project-files.js';
import { openSources } from '../../src/loader/formats/open-source.js';
import { type Scratch, scratch, workbook } from './files.js';

const folder = projectFile('test/loader/reading');
const marks: Record<string, string> = { r: '\r', 0: '\0', z: '\u001a', s: '\u001e', b: '\ufeff', t: '\t', '\\': '\\' };

/**
 * The cases of a file. `## what is so`, then the text of a file (`\r`, `\t`, `\0`, `\b` for a byte order mark, `\z` for that of DOS, `\s` for a
 * record separator), then what is read of it: `=: format in its coordinate system`, `=~ a warning, or how many rows there should be`, `=> number properties shape`,
 * `=x number why the row is broken`, or `=! why the file is refused`. A workbook is written as lines of cells with `|` between, or as rows of XML.
 */
function casesIn(name: string) {
  const sections = readFileSync(`${folder}/${name}`, 'utf8').split(/^## /m).slice(1);
  return sections.map((section) => {
    const [title, ...lines] = section.trimEnd().split('\n');
    const end = lines.findIndex((line) => /^=[:~>x!] /.test(line));
    const text = lines.slice(0, end).join('\n');
    return { title, text: text.replace(/\\(.)/g, (_, mark: string) => marks[mark]!), expected: lines.slice(end) };
  });
}

const contentOf = (name: string, text: string): string | Buffer =>
  name === 'xlsx.txt' ? workbook({ Roll: text.split('\n').map(rowOfCells).join('') }) : text;

function rowOfCells(line: string, i: number): string {
  if (line === '' || line.startsWith('<row')) return line;
  const cells = line.split('|').map((value, j) => (value ? `<c r="${'ABCDE'[j]}${i + 1}" t="str"><v>${value}</v></c>` : ''));
  return `<row r="${i + 1}">${cells.join('')}</row>`;
}

let files: Scratch;
beforeAll(async () => {
  files = await scratch();
});

async function readingOf(path: string): Promise<string[]> {
  try {
    const [source] = await openSources([path]);
    const lines = [`=: ${source!.format}${source!.crs ? ` in ${source!.crs}` : ''}`, ...source!.warnings.map((warning) => `=~ ${warning}`)];
    if (source!.wholeRows) lines.push(`=~ of ${source!.wholeRows} rows`);
    for await (const rows of source!.read({ bytesRead: 0 })) {
      for (const { number, properties, geometry, fault } of rows) {
        const shape = geometry ? ` ${JSON.stringify(geometry)}` : '';
        lines.push(fault === null ? `=> ${number} ${JSON.stringify(properties)}${shape}` : `=x ${number} ${fault}`);
      }
    }
    return lines;
  } catch (error) {
    return [`=! ${(error as Error).message.replaceAll(path, 'FILE').replaceAll('case.file', 'FILE')}`];
  }
}

describe.each(readdirSync(folder))('%s', (name) => {
  test.each(casesIn(name))('$title', async ({ text, expected }) => {
    expect(await readingOf(await files.write('case.file', contentOf(name, text)))).toEqual(expected);
  });
});
