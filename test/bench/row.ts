import type { Bench } from './bench.js';

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

/** What a figure is to be. */
export type Aim = { atMost: number } | { atLeast: number };
