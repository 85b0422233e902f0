import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

/**
 * Runs a function every few seconds. A failure is logged, and the next run tries again. For work that polls for something to do. Work that
 * must be remembered until it is done is a job.
 */
export class RepeatedWork {
  private readonly stopping = new AbortController();
  private running: Promise<void> | null = null;

  /** @param work returns true to run again without a pause */
  constructor(
    private readonly name: string,
    private readonly pauseMs: number,
    private readonly work: () => Promise<unknown>,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.running ??= this.run();
  }

  /** Resolves when a run that is under way has ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const hasMore = await this.work().catch((error: unknown) => {
        this.log.error({ error, work: this.name }, 'background work failed; it will be retried');
      });
      // `stop` makes the sleep reject.
      if (hasMore !== true) await sleep(this.pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
