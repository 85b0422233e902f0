import type { ClientBase } from 'pg';
import type { County } from '../release/county.store.js';
import type { Position } from './axes.js';
import { isWithin, refuseElsewhere } from './place-check.js';

const keptExamples = 100;

/** Counts, while a file is loaded, how much of it lies outside of the county, since the sampled first rows may not be representative. */
export class PlaceTally {
  private inside = 0;
  private outside = 0;
  private readonly examples: Position[] = [];

  constructor(private readonly county: County) {}

  add(longitude: number, latitude: number): void {
    if (isWithin(this.county.bounds, [longitude, latitude])) {
      this.inside++;
      return;
    }
    this.outside++;
    if (this.examples.length < keptExamples) this.examples.push([longitude, latitude]);
  }

  /** @throws AppError when most lie outside */
  async refuseElsewhere(db: ClientBase): Promise<void> {
    if (this.outside > this.inside) await refuseElsewhere(db, this.county, this.examples);
  }
}
