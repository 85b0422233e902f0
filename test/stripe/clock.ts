/** Stripe's time in whole seconds: the machine's, until a test sets it. */
export class Clock {
  private offsetSeconds = 0;
  private frozenSeconds: number | null = null;

  now(): number {
    return this.frozenSeconds ?? Math.floor(Date.now() / 1000) + this.offsetSeconds;
  }

  /** Stops time until it is set again. */
  set(seconds: number): void {
    this.frozenSeconds = seconds;
  }

  /** Moves a running clock. */
  move(seconds: number): void {
    this.offsetSeconds += seconds;
  }
}
