import { existsSync, readFileSync } from 'node:fs';
import { projectFile } from '../../core/project-files.js';

interface Chunk {
  file: string;
  imports?: string[];
  css?: string[];
}

const manifestFile = projectFile('dist/console/.vite/manifest.json');
const shell = 'index.html';

/**
 * Tags that preload the scripts and styles of a page. Without them the shell would request these only after it runs: one round trip later,
 * which is visible on a phone.
 */
export class PageScripts {
  private readonly chunks: Record<string, Chunk> = existsSync(manifestFile) ? JSON.parse(readFileSync(manifestFile, 'utf8')) : {};

  /**
   * @param sources the page's files in `src/console`
   * @param isRendered whether the HTML has the page, which then needs its styles before the first paint. Others paint their header first
   */
  tagsOf(sources: string[], isRendered: boolean): string {
    const styles = isRendered ? 'rel="stylesheet"' : 'rel="preload" as="style"';
    const first = this.withImports(shell, new Set());
    const own = new Set<Chunk>();
    for (const source of sources) this.withImports(source, first, own);
    return [...own]
      .flatMap(({ file, css = [] }) => [
        `<link rel="modulepreload" crossorigin href="/${file}" />`,
        ...css.map((style) => `<link ${styles} crossorigin href="/${style}" />`),
      ])
      .join('\n    ');
  }

  /** A chunk and all its imports, except those that are loaded already. */
  private withImports(name: string, there: ReadonlySet<Chunk>, found = new Set<Chunk>()): Set<Chunk> {
    const chunk = this.chunks[name];
    if (!chunk || there.has(chunk) || found.has(chunk)) return found;
    found.add(chunk);
    for (const each of chunk.imports ?? []) this.withImports(each, there, found);
    return found;
  }
}
