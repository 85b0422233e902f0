import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { projectFile } from '../../core/project-files.js';
import type { CoverageVersion } from '../../counties/coverage-version.js';
import { VersionedCache } from '../versioned-cache.js';

/** Each response replaces it by a nonce of its own. */
export const noncePlaceholder = '__CSP_NONCE__';

/**
 * The answers that a page is made from, at the paths where its script finds them. @property version changes when the answer does, besides
 * that of coverage
 */
export type PageData = { path: string; read: () => Promise<unknown>; version?: string }[];

export interface RenderedPage {
  html: string;
  /** Where its script finds the same data. */
  answers: string[];
  /** The version of coverage that they are from. */
  coverage: string;
}

const maxBytes = 32 * 2 ** 20;
const script = projectFile('dist/console-server/render-thread.js');
const idleMs = 30_000;

interface Answer {
  id: number;
  html?: string;
  error?: Error;
}

/** Renders pages by the client's own code, beside the server's thread: one page can take as long as a thousand reads. */
class PageThread {
  /** Whether the console is built. */
  static readonly isBuilt = existsSync(script);
  private worker: Worker | undefined;
  private idle: NodeJS.Timeout | undefined;
  private readonly waiting = new Map<number, { resolve: (html: string) => void; reject: (error: Error) => void }>();
  private count = 0;

  /** @param nonce stands in the pages' styles */
  constructor(private readonly nonce: string) {}

  /**
   * The HTML of a page.
   * @param path with its query
   * @param answers of the server, by the paths that the page's parts ask for
   * @param site what every page may name
   */
  render(path: string, answers: Record<string, unknown>, site: object): Promise<string> {
    clearTimeout(this.idle);
    this.worker ??= this.start(site);
    const id = this.count++;
    this.worker.ref();
    this.worker.postMessage({ id, path, answers });
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
    });
  }

  private start(site: object): Worker {
    const worker = new Worker(script, { workerData: { nonce: this.nonce, site }, execArgv: [] });
    worker.on('message', ({ id, html, error }: Answer) => {
      const { resolve, reject } = this.waiting.get(id)!;
      this.waiting.delete(id);
      if (html === undefined) reject(error!);
      else resolve(html);
      if (this.waiting.size > 0) return;
      worker.unref();
      this.idle = setTimeout(() => this.end(worker), idleMs).unref();
    });
    worker.on('error', (error) => {
      this.end(worker);
      for (const { reject } of this.waiting.values()) reject(error as Error);
      this.waiting.clear();
    });
    return worker;
  }

  private end(worker: Worker): void {
    this.worker = undefined;
    void worker.terminate();
  }
}

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
  async page(path: string, data: PageData, site: () => Promise<object>): Promise<RenderedPage | null> {
    if (!PageThread.isBuilt) return null;
    try {
      const coverage = await this.coverage.current();
      const version = [coverage, ...data.map((one) => one.version)].join(' ');
      return await this.pages.get(path, version, async () => ({ ...(await this.render(path, data, site)), coverage }));
    } catch (error) {
      this.log.error({ err: error, path }, 'a page could not be rendered; its script does it');
      return null;
    }
  }

  private async render(path: string, data: PageData, site: () => Promise<object>): Promise<Omit<RenderedPage, 'coverage'>> {
    const answers = await Promise.all(data.map(async (each) => [each.path, await each.read()] as const));
    const html = await this.thread.render(path, Object.fromEntries(answers), await site());
    return { html, answers: data.map((each) => each.path) };
  }
}
