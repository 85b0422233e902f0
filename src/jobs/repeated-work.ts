import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

/**
 * Runs a function every few seconds; a failure is logged, and the next run tries again. For work that looks for itself whether there
 * is something to do. Work that must be remembered until it is done is a job.
 */
export class RepeatedWork {
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

  /** Resolves when a run that is under way has ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const hasMore = await this.work().catch((error: unknown) => {
        this.log.error({ error, work: this.name }, 'work in the background failed; it will be tried again');
        return false;
      });
      // `stop` ends the sleep by a rejection.
      if (!hasMore) await sleep(this.pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
