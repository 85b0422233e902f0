import { OutlierCounter } from '../values/outliers.js';
import { FillCounter } from './fill-counter.js';

/** Counts of a release's values, kept while its records are written. Each thread counts by itself, and the counts are added up. */
export class FieldTally {
  readonly fill = new FillCounter();
  readonly beyondReason = new OutlierCounter();

  /** Returns the counts since the last call, to be added to another tally. */
  drain(): FieldCounts {
    return { fill: this.fill.drain(), beyondReason: this.beyondReason.drain() };
  }

  add({ fill, beyondReason }: FieldCounts): void {
    this.fill.addAll(fill);
    this.beyondReason.addAll(beyondReason);
  }
}

export interface FieldCounts {
  fill: Uint32Array;
  beyondReason: OutlierCounter['counts'];
}
