import { Presets, SingleBar } from 'cli-progress';
import type { AuditProgress } from './audit.js';

/** Shows on a terminal which check is running and how far the audit is. On standard error, so that output stays clean. */
export class AuditProgressBar {
  private readonly bar = new SingleBar(
    { format: '  {bar} check {number} of {count}: {invariant}', barsize: 24, hideCursor: true, stream: process.stderr },
    Presets.shades_classic,
  );

  show({ invariant, number, count, share }: AuditProgress): void {
    const shown = { invariant, number, count };
    if (this.bar.isActive) this.bar.update(number - 1 + share, shown);
    else this.bar.start(count, 0, shown);
  }

  stop(): void {
    this.bar.stop();
  }
}
