import { BeyondReason } from './beyond-reason.js';
import { FillCounter } from './fill-counter.js';

/** What is counted of the values of a release while its records are written. */
export class FieldTally {
  readonly fill = new FillCounter();
  readonly beyondReason = new BeyondReason();
}
