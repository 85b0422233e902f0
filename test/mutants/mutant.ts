/** Faults of each SQL file under src, in words, with the text that stands there exactly once and what it becomes: some test must notice. */
export type Mutants = Record<string, [fault: string, find: string, replace: string][]>;
