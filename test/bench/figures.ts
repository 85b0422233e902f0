import type { Bench } from './bench.js';

const rounds = 3;

/** A row of the table, or several that are measured together. */
export interface Row {
  /** How `--only` picks it. */
  name: string;
  title: string;
  measure(bench: Bench): Promise<Figure[]>;
}

export interface Figure {
  name: string;
  /** null: it cannot be measured on this machine; the name says why. */
  value: number | null;
  unit: '×' | 'µs' | 'ms' | 'MB' | '/s' | '';
  aim?: Aim;
}

/** The goal for a figure. */
export type Aim = { atMost: number } | { atLeast: number };

export const grouped = (number: number): string => Math.round(number).toLocaleString('en').replaceAll(',', ' ');

export function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The median of the rounds' own ratios: what else the machine was doing in a round touched both sides of it. */
export const ratio = (ours: number[], theirs: number[]): number => median(ours.map((our, round) => our / theirs[round]!));

/** The number that this share of the sorted numbers does not exceed. */
export const percentile = (sorted: number[], share: number): number => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]!;

export const isMet = (value: number, aim: Aim): boolean => ('atMost' in aim ? value <= aim.atMost : value >= aim.atLeast);

/** A figure as a line, with its aim beside it. */
export function lineOf({ name, value, unit, aim }: Figure): string {
  const digits = unit === '×' ? 2 : unit === 'ms' ? 1 : 0;
  const shown = value === null ? '–' : `${digits === 0 ? grouped(value) : value.toFixed(digits)} ${unit}`;
  const line = `  ${name.padEnd(64)}${shown.padStart(12)}`;
  if (!aim) return line;
  const sign = 'atMost' in aim ? `≤ ${aim.atMost}` : `≥ ${aim.atLeast}`;
  return `${line}   aim ${`${sign} ${unit}`.trim()}${value === null ? '' : isMet(value, aim) ? ': met' : ': not met'}`;
}

type Contenders<T extends unknown[]> = { [K in keyof T]: () => Promise<T[K]> };
type Results<T extends unknown[]> = { [K in keyof T]: T[K][] };

/** Every contender in every round, one after the other, so that what else the machine does meets them alike. */
export async function inTurns<T extends unknown[]>(...contenders: Contenders<T>): Promise<Results<T>> {
  const results = contenders.map((): unknown[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, contender] of contenders.entries()) results[index]!.push(await contender());
  }
  return results as Results<T>;
}
