import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

/** Does one thing again and again beside the requests; a failure is logged and tried again. */
export class Worker {
  private readonly stopping = new AbortController();
  private running: Promise<void> | null = null;

  /** @param work returns whether there is more to do at once */
  constructor(
    private readonly name: string,
    private readonly pauseMs: number,
    private readonly work: () => Promise<boolean>,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.running ??= this.run();
  }

  /** Resolves once nothing is under way. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const hasMore = await this.work().catch((error: unknown) => {
        this.log.error({ error, worker: this.name }, 'work in the background failed; it will be tried again');
        return false;
      });
      // Being stopped ends the sleep by a rejection.
      if (!hasMore) await sleep(this.pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
