import { BeyondReason } from '../values/outliers.js';
import { FillCounter } from './fill-counter.js';

/** What is counted of the values of a release while its records are written. Threads count for themselves, and theirs is added up. */
export class FieldTally {
  readonly fill = new FillCounter();
  readonly beyondReason = new BeyondReason();

  /** What was counted since the last call, to be added to another tally. */
  take(): FieldCounts {
    return { fill: this.fill.take(), beyondReason: this.beyondReason.take() };
  }

  add({ fill, beyondReason }: FieldCounts): void {
    this.fill.addAll(fill);
    this.beyondReason.addAll(beyondReason);
  }
}

export interface FieldCounts {
  fill: Uint32Array;
  beyondReason: BeyondReason['counts'];
}
