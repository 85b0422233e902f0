/** How many of a table's first lines decide how many columns it has. */
export const layoutSampleLines = 30;

/** The most common count, weighted by its size: notes above a table may fill more of the sampled lines than the table itself. */
export function commonestCount(counts: number[]): number {
  const weight = (count: number) => count * counts.filter((other) => other === count).length;
  return counts.toSorted((a, b) => weight(b) - weight(a))[0] ?? 1;
}

export const filledCount = (cells: (string | number | null)[]): number =>
  cells.filter((cell) => cell !== null && String(cell).trim() !== '').length;

/** Whether a line is a title above the table, such as the county's name or the export date: it fills at most half of the columns. */
export function isTitle(cells: (string | number | null)[], columnCount: number): boolean {
  return columnCount >= 3 && filledCount(cells) * 2 <= columnCount;
}
