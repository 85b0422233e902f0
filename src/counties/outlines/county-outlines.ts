import { readFile } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { projectFile } from '../../core/project-files.js';
import { type Box, Outline, unitsPerDegree } from './outline.js';

/** Where the outlines are kept: made by `build-outlines.ts`, which says from what. */
export const outlinesFile = projectFile('src/counties/outlines/county-outlines.bin');

/** At some ten kilobytes each: the neighbours of a county, and whatever else a file holds that was put together wrongly. */
const keptOutlines = 200;

/** A county's box is cut into so many columns and rows, for each of which the file says whether it is land. */
export const landGridSize = 16;

/** By so much the borders are simplified, where we have them in full. */
export const simplifiedMetres = 50;

export interface CountyOutline {
  fips: string;
  /** Such as `Kings County, NY (36047)`. */
  label: string;
  outline: Outline;
  /** How far the outline may run beside the border that the Census has. */
  errorMetres: number;
  /** A coarse outline has none of the county's waters, nor its small islands. */
  endsAtShore: boolean;
  /** The cells of a grid over the box, row by row from the south-west, that have land: a bit each. */
  land: Uint8Array;
}

/**
 * The outlines of all counties, in one file: the number of counties, their codes, where each one's record begins, their boxes, and their
 * records. Only the counties that are asked for are read; those of a load and of the places where its other rows lie.
 */
export class CountyOutlines {
  readonly fipsCodes: string[];
  private readonly starts: Uint32Array;
  private readonly boxes: Int32Array;
  private readonly known = new LRUCache<string, CountyOutline>({ max: keptOutlines });
  private latest: CountyOutline | null = null;

  private constructor(private readonly bytes: Buffer) {
    const { buffer, byteOffset } = bytes;
    const count = bytes.readUInt32LE(0);
    this.fipsCodes = Array.from(new Uint32Array(buffer, byteOffset + 4, count), (code) => String(code).padStart(5, '0'));
    this.starts = new Uint32Array(buffer, byteOffset + 4 + 4 * count, count);
    this.boxes = new Int32Array(buffer, byteOffset + 4 + 8 * count, 4 * count);
  }

  static async open(): Promise<CountyOutlines> {
    return new CountyOutlines(await readFile(outlinesFile));
  }

  of(fips: string): CountyOutline {
    return this.at(this.fipsCodes.indexOf(fips));
  }

  /** The county that a position, in degrees, lies in, or null. Between outlines that don't quite meet, the nearest. */
  holding(longitude: number, latitude: number): CountyOutline | null {
    if (this.latest?.outline.holds(longitude, latitude)) return this.latest;
    let nearest: CountyOutline | null = null;
    let nearestMetres = Number.POSITIVE_INFINITY;
    for (const index of this.around(longitude, latitude)) {
      const county = this.at(index);
      if (county.outline.holds(longitude, latitude)) {
        this.latest = county;
        return county;
      }
      const metres = county.outline.metresTo(longitude, latitude);
      if (metres > county.errorMetres || metres >= nearestMetres) continue;
      nearest = county;
      nearestMetres = metres;
    }
    return nearest;
  }

  private *around(longitude: number, latitude: number): Iterable<number> {
    const { boxes } = this;
    const x = longitude * unitsPerDegree;
    const y = latitude * unitsPerDegree;
    const wrapped = x + 360 * unitsPerDegree;
    for (let i = 0; i < boxes.length; i += 4) {
      if (y < boxes[i + 1]! || y > boxes[i + 3]!) continue;
      const [west, east] = [boxes[i]!, boxes[i + 2]!];
      if ((x >= west && x <= east) || (wrapped >= west && wrapped <= east)) yield i / 4;
    }
  }

  private at(index: number): CountyOutline {
    const fips = this.fipsCodes[index]!;
    const known = this.known.get(fips);
    if (known) return known;
    const county = this.read(index, fips);
    this.known.set(fips, county);
    return county;
  }

  private read(index: number, fips: string): CountyOutline {
    const { bytes } = this;
    let at = this.starts[index]!;
    const number = () => {
      let value = 0;
      for (let shift = 1; ; shift *= 128) {
        const byte = bytes[at++]!;
        value += (byte & 127) * shift;
        if (byte < 128) return value;
      }
    };
    const signed = () => {
      const value = number();
      return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    };
    const nameEnd = number() + at;
    const label = `${bytes.toString('utf8', at, nameEnd)} (${fips})`;
    at = nameEnd;
    const errorMetres = number();
    const land = Uint8Array.from(bytes.subarray(at, at + (landGridSize * landGridSize) / 8));
    at += land.length;
    const lengths = Array.from({ length: number() }, number);
    const corners = new Int32Array(2 * lengths.reduce((sum, length) => sum + length + 1, 0));
    const ends: number[] = [];
    let [end, x, y] = [0, 0, 0];
    for (const length of lengths) {
      const start = end;
      for (let i = 0; i < length; i++) {
        corners[end++] = x += signed();
        corners[end++] = y += signed();
      }
      corners[end++] = corners[start]!;
      corners[end++] = corners[start + 1]!;
      ends.push(end);
    }
    const box = Array.from(this.boxes.subarray(4 * index, 4 * index + 4)) as Box;
    return { fips, label, outline: new Outline(box, corners, ends), errorMetres, endsAtShore: errorMetres > simplifiedMetres, land };
  }
}
