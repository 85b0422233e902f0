/** A separately loaded part of a county (a town) within a release. Its records begin at `first`. */
export interface ReleasePart {
  name: string;
  /** The release whose load brought the records. They still name it; its source, date and report apply to them. */
  loadedBy: number;
  first: number;
  records: number;
}

/** Sums counts by field over several loads; null if those of one are unknown. */
export function sumCounts<Counts extends Partial<Record<string, number>>>(counts: (Counts | null)[]): Counts | null {
  const sum: Partial<Record<string, number>> = {};
  for (const each of counts) {
    if (each === null) return null;
    for (const [field, count] of Object.entries(each)) sum[field] = (sum[field] ?? 0) + count!;
  }
  return sum as Counts;
}
