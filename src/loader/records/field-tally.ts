import { OutlierCounter } from '../values/outliers.js';
import { FillCounter } from './fill-counter.js';

/** What is counted of the values of a release while its records are written. Threads count for themselves, and theirs is added up. */
export class FieldTally {
  readonly fill = new FillCounter();
  readonly beyondReason = new OutlierCounter();

  /** What was counted since the last call, to be added to another tally. */
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
