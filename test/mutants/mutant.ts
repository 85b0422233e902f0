/** One line of the money SQL, changed: a fault that some test must notice. */
export interface Mutant {
  /** The fault, in words. */
  fault: string;
  /** The SQL file, under src. */
  file: string;
  /** The text that is replaced; it must stand in the file exactly once. */
  find: string;
  replace: string;
}

/** Faults of each SQL file, with the text that stands there and what it becomes. */
export type Mutants = Record<string, [fault: string, find: string, replace: string][]>;

export const mutantsOf = (mutants: Mutants): Mutant[] =>
  Object.entries(mutants).flatMap(([file, faults]) => faults.map(([fault, find, replace]) => ({ fault, file, find, replace })));

/** @throws an error when the text is not there exactly once: then the file has changed, and the mutant must follow */
export function applyMutant({ fault, file, find, replace }: Mutant, sql: string): string {
  const places = sql.split(find).length - 1;
  if (places !== 1) throw new Error(`mutant "${fault}": its text stands ${places} times in ${file}, not once`);
  return sql.replace(find, () => replace);
}
