export const grouped = (number: number): string => Math.round(number).toLocaleString('en').replaceAll(',', ' ');

export function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The median of the rounds' own ratios: what else the machine was doing in a round touched both sides of it. */
export const ratio = (ours: number[], theirs: number[]): string => median(ours.map((our, round) => our / theirs[round]!)).toFixed(2);
