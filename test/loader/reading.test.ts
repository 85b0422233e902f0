import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LayerChoice } from '../../src/loader/formats/layers.js';
import { openSources } from '../../src/loader/formats/open-source.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import { type Case, casesIn, splitAt, tablesIn } from './cases.js';
import { filesOf } from './made-files.js';

interface Options extends LayerChoice {
  /** Which of the files are opened, if not the first one. */
  open?: string[];
}

let folder: string;
let number = 0;
beforeAll(async () => {
  folder = await temporaryFolder();
});

/**
 * What is read of the files of a case, or of one that is its text alone: `=: format in its coordinate system`, `=~ a warning, or how many rows
 * there should be`, `=> number properties shape`, `=x number why the row is broken`, and `=! why the file is refused`.
 */
async function readingOf(given: string[], { open, ...choice }: Options): Promise<string[]> {
  const files = filesOf(given[0]?.startsWith('> ') ? given : ['> case.file', ...given, '']);
  const own = join(folder, String(++number));
  await mkdir(own);
  for (const [name, content] of files) await writeFile(join(own, name), content);
  const lines: string[] = [];
  try {
    const sources = await openSources(
      (open ?? [...files.keys()].slice(0, 1)).map((name) => join(own, name)),
      choice,
    );
    for (const source of sources) {
      lines.push(`=: ${source.format}${source.crs ? ` in ${source.crs}` : ''}`, ...source.warnings.map((warning) => `=~ ${warning}`));
      if (source.wholeRows) lines.push(`=~ of ${source.wholeRows} rows`);
      const position = { bytesRead: 0 };
      for await (const rows of source.read(position)) {
        for (const { number, properties, geometry, fault } of rows) {
          const shape = geometry ? ` ${JSON.stringify(geometry)}` : '';
          lines.push(fault === null ? `=> ${number} ${JSON.stringify(properties)}${shape}` : `=x ${number} ${fault}`);
        }
      }
      await source.close();
      expect(position.bytesRead).toBeGreaterThan(0.5 * source.byteLength - 200); // headers are not counted
      expect(position.bytesRead).toBeLessThanOrEqual(1.01 * source.byteLength);
    }
    for (const [name, content] of files) expect((await readFile(join(own, name))).equals(content)).toBe(true);
    expect(await readdir(own)).toHaveLength(files.size);
    return lines;
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    const named = message.replaceAll(join(own, 'case.file'), 'FILE').replaceAll('case.file', 'FILE').replaceAll(`${own}/`, '');
    return [...lines, `=! ${code === 'invalid_request' ? '' : `${code}: `}${named}`];
  }
}

describe.each(tablesIn('reading'))('%s', (file) => {
  test.each<Case<Options>>(casesIn('reading', file))('$title', async ({ options, lines }) => {
    const [given, expected] = splitAt(lines, /^=[:~>x!] /);
    expect(await readingOf(given, options)).toEqual(expected);
  });
});
