import type { Texts } from './built-batch.js';

export const inputBytes = 1024 * 1024;

/** Memory of a task that both threads see. */
export interface Slot {
  input: SharedArrayBuffer;
  output: SharedArrayBuffer;
}

/** Writes pieces one after the other. Returns their lengths. */
export function writeInput({ input }: Slot, pieces: Buffer[]): number[] {
  const bytes = Buffer.from(input);
  let at = 0;
  for (const piece of pieces) at += piece.copy(bytes, at);
  return pieces.map(({ length }) => length);
}

export function readInput({ input }: Slot, lengths: number[]): Buffer[] {
  let at = 0;
  return lengths.map((length) => {
    at += length;
    return Buffer.from(input, at - length, length);
  });
}

/** Takes texts one after the other into a slot's memory; what does not fit, into new memory. */
export class SlotOutput {
  private at = 0;

  constructor(private readonly slot: Slot) {}

  add({ bytes, ends }: Texts): Texts {
    const { output } = this.slot;
    if (this.at + bytes.length > output.byteLength) return { bytes: new Uint8Array(bytes), ends };
    const own = new Uint8Array(output, this.at, bytes.length);
    own.set(bytes);
    this.at += bytes.length;
    return { bytes: own, ends };
  }
}
