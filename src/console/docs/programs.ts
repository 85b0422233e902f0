import type { Language } from '../format/languages.js';
import { site } from '../site.js';
import keepCurrent from './programs/keep-current.mjs?raw';
import javascript from './programs/read-county.mjs?raw';
import python from './programs/read-county.py?raw';
import curl from './programs/read-county.sh?raw';

/** Names this service in a program, instead of the address on which `npm start` listens. */
const here = (program: string): string => program.replace('http://localhost:3000', site.origin);

/** The programs of the guides, as they stand in their files. `test/console/programs.test.ts` runs them through crashes and a reload. */
export const readCounty: Record<Language, string> = { curl: here(curl), javascript: here(javascript), python: here(python) };
export const keepCurrentProgram = here(keepCurrent);
