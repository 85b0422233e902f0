import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { projectFile } from '../../core/project-files.js';

const script = projectFile('dist/console-server/render-thread.js');
const idleMs = 30_000;

interface Answer {
  id: number;
  html?: string;
  error?: Error;
}

/** Renders pages by the client's own code, beside the server's thread: one page can take as long as a thousand reads. */
export class PageThread {
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
   * @param answers of the server, by the names that the page's parts ask for
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
