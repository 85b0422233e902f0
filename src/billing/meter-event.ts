/** The overage of a run of entries, as it is sent to Stripe's meter; times in seconds since 1970. */
export interface MeterEvent {
  /** Names the run, so that Stripe takes it once however often it is sent. */
  identifier: string;
  stripeCustomerId: string;
  /** Negative where more was taken back than read. */
  records: number;
  countedAtSeconds: number;
  attempts: number;
  /** Whether an earlier attempt may have reached Stripe. */
  wasUncertain: boolean;
  /** Whether that was so long ago that Stripe would no longer know a duplicate, or that the bill of that time is closed. */
  mustAsk: boolean;
}
