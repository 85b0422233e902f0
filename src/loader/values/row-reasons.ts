import { count } from '../../core/format-numbers.js';

/** What is counted, the most frequent first. */
export const byFrequency = <Key>(counts: ReadonlyMap<Key, number>): [Key, number][] => [...counts].sort(([, a], [, b]) => b - a);

/**
 * The most frequent reasons, for an operator.
 * @param reasons the most frequent first
 * @param what became of their rows
 */
export const frequentReasons = (reasons: { reason: string; rows: number }[], what: string): string[] =>
  reasons.slice(0, 3).map(({ reason, rows }) => `${count(rows)} ${rows === 1 ? 'row' : 'rows'} ${what}: ${reason}.`);
