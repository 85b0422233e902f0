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

/** Takes texts one after the other into a slot's memory; what does not fit, into new memory that both threads see. */
export class SlotOutput {
  private at = 0;

  constructor(private readonly slot: Slot) {}

  add({ bytes, ends }: Texts): Texts {
    const own = this.roomFor(bytes.length);
    own.set(bytes);
    return { bytes: own, ends };
  }

  private roomFor(length: number): Uint8Array {
    const { output } = this.slot;
    if (this.at + length > output.byteLength) return new Uint8Array(new SharedArrayBuffer(length));
    this.at += length;
    return new Uint8Array(output, this.at - length, length);
  }
}
