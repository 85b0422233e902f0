export const inputBytes = 1024 * 1024;

/** Shared memory for the raw rows of a task. */
export type Slot = SharedArrayBuffer;

/** Writes pieces one after the other. Returns their lengths. */
export function writeInput(slot: Slot, pieces: Buffer[]): number[] {
  const bytes = Buffer.from(slot);
  let at = 0;
  for (const piece of pieces) at += piece.copy(bytes, at);
  return pieces.map(({ length }) => length);
}

export function readInput(slot: Slot, lengths: number[]): Buffer[] {
  let at = 0;
  return lengths.map((length) => {
    at += length;
    return Buffer.from(slot, at - length, length);
  });
}
