import { createContext } from 'react';

/** Answers of the server by name, so that a page shows at once what it has shown before. */
export interface Remembered {
  answers: Map<string, unknown>;
  /** Those that came with this document: they need not be asked for again. */
  fresh: Set<string>;
}

export const RememberedContext = createContext<Remembered>({ answers: new Map(), fresh: new Set() });
