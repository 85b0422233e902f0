import { count } from '../../core/format-numbers.js';

/** Counts in descending order. */
export const byFrequency = <Key>(counts: ReadonlyMap<Key, number>): [Key, number][] => [...counts].sort(([, a], [, b]) => b - a);

/**
 * Sentences with the three most frequent reasons, for an operator.
 * @param reasons in descending order of rows
 * @param what what happened to the rows, such as `rejected`
 */
export const frequentReasons = (reasons: { reason: string; rows: number }[], what: string): string[] =>
  reasons.slice(0, 3).map(({ reason, rows }) => `${count(rows)} ${rows === 1 ? 'row' : 'rows'} ${what}: ${reason}.`);
