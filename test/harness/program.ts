import { InvalidArgumentError } from 'commander';
import { closeAll } from './closing.js';

/** Runs a program of ours, and closes what it opened, however far it came. */
export async function runProgram(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } finally {
    await closeAll();
  }
  // Left to end by itself, Node once waited without end for connections that were cut in the middle of something.
  process.exit();
}

/** Reads an option. */
export function aboveZero(text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new InvalidArgumentError('a number above 0.');
  return number;
}
