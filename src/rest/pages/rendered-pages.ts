import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { CoverageVersion } from '../../counties/coverage-version.js';
import { PageThread } from './page-thread.js';

/** Each response replaces it by a nonce of its own. */
export const noncePlaceholder = '__CSP_NONCE__';

/** What a page is made from, by the names that its script asks for. */
export type Parts = Record<string, { address: string; read: () => Promise<unknown> }>;

export interface RenderedPage {
  html: string;
  /** Where its script finds the same data, by name. */
  answers: Record<string, string>;
}

const maxBytes = 32 * 2 ** 20;

/** Public pages as HTML, each made once per version of coverage. */
export class RenderedPages {
  private readonly pages = new LRUCache<string, { version: string; page: RenderedPage }>({
    maxSize: maxBytes,
    sizeCalculation: ({ page }) => 2 * page.html.length,
  });
  private readonly rendering = new Map<string, Promise<RenderedPage | null>>();
  private readonly thread = new PageThread(noncePlaceholder);

  constructor(
    private readonly coverage: CoverageVersion,
    private readonly log: Logger,
  ) {}

  /** Null if the page cannot be made here: its script makes it, and says what is wrong. @param site reads what every page may name */
  async page(path: string, parts: Parts, site: () => Promise<object>): Promise<RenderedPage | null> {
    if (!PageThread.isBuilt) return null;
    const version = await this.coverage.current();
    const known = this.pages.get(path);
    if (known?.version === version) return known.page;
    const work = `${version} ${path}`;
    let rendering = this.rendering.get(work);
    if (!rendering) {
      rendering = this.render(path, parts, site)
        .then((page) => {
          this.pages.set(path, { version, page });
          return page;
        })
        .catch((error) => {
          this.log.error({ err: error, path }, 'a page could not be rendered; its script does it');
          return null;
        })
        .finally(() => this.rendering.delete(work));
      this.rendering.set(work, rendering);
    }
    return rendering;
  }

  private async render(path: string, parts: Parts, site: () => Promise<object>): Promise<RenderedPage> {
    const read = Object.entries(parts).map(async ([name, { read }]) => [name, await read()] as const);
    return {
      html: await this.thread.render(path, Object.fromEntries(await Promise.all(read)), await site()),
      answers: Object.fromEntries(Object.entries(parts).map(([name, { address }]) => [name, address])),
    };
  }
}
