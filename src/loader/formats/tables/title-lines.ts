/** How many of a table's first lines tell how wide it is. */
export const linesLookedAt = 30;

/** The count that most lines have; a larger one may be of fewer, since notes above a table may be more lines than what is seen of it. */
export function commonestCount(counts: number[]): number {
  const weight = (count: number) => count * counts.filter((other) => other === count).length;
  return counts.toSorted((a, b) => weight(b) - weight(a))[0] ?? 1;
}

export const filledCount = (cells: (string | number | null)[]): number =>
  cells.filter((cell) => cell !== null && String(cell).trim() !== '').length;

/** What stands above a table: the name of the county, the day of the export. It has few cells, and the table many. */
export function isTitle(cells: (string | number | null)[], columnCount: number): boolean {
  return columnCount >= 3 && filledCount(cells) * 2 <= columnCount;
}
