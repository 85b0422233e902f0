/** Stripe's time in whole seconds: the machine's, until a test sets it. */
export class Clock {
  private setSeconds: number | null = null;

  now(): number {
    return this.setSeconds ?? Math.floor(Date.now() / 1000);
  }

  /** Stops time until it is set again. */
  set(seconds: number): void {
    this.setSeconds = seconds;
  }
}
