/** A part of a county that is loaded by parts (a town), within a release: its records are those from `first` on. */
export interface ReleasePart {
  name: string;
  /** The release by whose load the records came. They still name it, and its source, date and report are theirs. */
  loadedBy: number;
  first: number;
  records: number;
}

/** Counts by field, of several loads together; null where those of one are not known. */
export function addUp<Counts extends Partial<Record<string, number>>>(counts: (Counts | null)[]): Counts | null {
  const sum: Partial<Record<string, number>> = {};
  for (const each of counts) {
    if (each === null) return null;
    for (const [field, count] of Object.entries(each)) sum[field] = (sum[field] ?? 0) + count!;
  }
  return sum as Counts;
}
