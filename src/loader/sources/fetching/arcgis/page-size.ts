const firstSize = 1000;
const maxSize = 10_000;
// A page is held in memory three times over: as bytes, as text and as values.
const aimedBytes = 4 * 1024 ** 2;

/** How many records to ask for at once: fewer after a fault, and more again step by step. */
export class PageSize {
  current: number;
  private readonly max: number;

  constructor(maxRecords: number) {
    this.max = Math.min(maxRecords, maxSize);
    this.current = Math.min(this.max, firstSize);
  }

  grow(records: number, bytes: number): void {
    const fitting = records > 0 ? Math.floor((aimedBytes * records) / bytes) : this.max;
    this.current = Math.max(1, Math.min(this.max, fitting, Math.ceil(this.current * 1.25)));
  }
}
