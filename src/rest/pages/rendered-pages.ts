import type { Logger } from 'pino';
import type { CoverageVersion } from '../../counties/coverage-version.js';
import { VersionedCache } from '../versioned-cache.js';
import { PageThread } from './page-thread.js';

/** Each response replaces it by a nonce of its own. */
export const noncePlaceholder = '__CSP_NONCE__';

/** What a page is made from, by the names that its script asks for. @property version changes when the answer does, besides that of coverage */
export type Parts = Record<string, { address: string; read: () => Promise<unknown>; version?: string }>;

export interface RenderedPage {
  html: string;
  /** Where its script finds the same data, by name. */
  answers: Record<string, string>;
}

const maxBytes = 32 * 2 ** 20;

/** Public pages as HTML, each made once per version of coverage. */
export class RenderedPages {
  private readonly pages = new VersionedCache<RenderedPage>(maxBytes, ({ html }) => 2 * html.length);
  private readonly thread = new PageThread(noncePlaceholder);

  constructor(
    private readonly coverage: CoverageVersion,
    private readonly log: Logger,
  ) {}

  /**
   * Null if the page cannot be made here: its script makes it, and says what is wrong.
   * @param path with what a query chooses
   * @param site reads what every page may name
   */
  async page(path: string, parts: Parts, site: () => Promise<object>): Promise<RenderedPage | null> {
    if (!PageThread.isBuilt) return null;
    try {
      const version = [await this.coverage.current(), ...Object.values(parts).map((part) => part.version)].join(' ');
      return await this.pages.get(path, version, () => this.render(path, parts, site));
    } catch (error) {
      this.log.error({ err: error, path }, 'a page could not be rendered; its script does it');
      return null;
    }
  }

  private async render(path: string, parts: Parts, site: () => Promise<object>): Promise<RenderedPage> {
    const read = Object.entries(parts).map(async ([name, { read }]) => [name, await read()] as const);
    return {
      html: await this.thread.render(path, Object.fromEntries(await Promise.all(read)), await site()),
      answers: Object.fromEntries(Object.entries(parts).map(([name, { address }]) => [name, address])),
    };
  }
}
