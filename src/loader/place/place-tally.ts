import { AppError } from '../../errors.js';
import type { Place } from '../normalise/geometry.js';
import type { RowCheck } from '../normalise/record.js';
import { type CountyOutline, landGridSize } from './county-outlines.js';
import { unitsPerDegree } from './outline.js';
import type { Elsewhere, PlaceJudge } from './place-judge.js';

/** What the places of a file's rows say, for the report of a load. */
export interface PlaceReport {
  /** Rows that have a place in the county. */
  inside: number;
  /** Rows that lie outside, by the county that they lie in if any, the most frequent first. */
  outside: { county: string | null; reason: string; rows: number }[];
  /** Of the cells of a grid that cover the county's land, those in which rows lie. */
  spread: { cells: number; filled: number };
}

/** Judges rows by where they lie, and counts: which other counties they are of, and over how much of the county they spread. */
export class PlaceTally {
  private inside = 0;
  private outside = 0;
  private readonly outsideByReason = new Map<string, PlaceReport['outside'][number]>();
  private example: string | null = null;
  private readonly cells = new Uint8Array(landGridSize * landGridSize);

  /** @param force Finds fault with no row, and only counts. */
  constructor(
    private readonly judge: PlaceJudge,
    private readonly force = false,
  ) {}

  readonly check: RowCheck = (place) => {
    if (place === null) return null;
    const elsewhere = this.judge.elsewhere(place);
    if (elsewhere === null) this.addInside(place);
    else this.addOutside(elsewhere);
    return this.force ? null : elsewhere;
  };

  /** Rows that were found fault with, by reason. */
  get faults(): { reason: string; rows: number }[] {
    return this.force ? [] : [...this.outsideByReason.values()];
  }

  get report(): PlaceReport {
    const outside = [...this.outsideByReason.values()].sort((a, b) => b.rows - a.rows);
    return { inside: this.inside, outside, spread: spreadOver(this.judge.county, this.cells) };
  }

  /** @throws AppError when most of the rows lie outside of the county, naming the counties they lie in */
  refuseElsewhere(): void {
    if (this.outside <= this.inside) return;
    const { label } = this.judge.county;
    throw new AppError(
      'invalid_request',
      `Most of the data lies outside of ${label}: ${this.describe()}, for example ${this.example}. ` +
        'Check the county code and the coordinate system; --force loads it all the same.',
    );
  }

  /** Such as `7,812 of 8,000 rows lie in New York County, NY (36061)`; null where no row lies outside. */
  describe(): string | null {
    if (this.outside === 0) return null;
    const all = this.inside + this.outside;
    const [first, ...others] = this.report.outside
      .slice(0, 3)
      .map(({ county, rows }) => ({ rows: count(rows), where: county ? `in ${county}` : 'elsewhere' }));
    const more = others.map(({ rows, where }) => `, ${rows} ${where}`);
    return `${first!.rows} of ${count(all)} rows lie ${first!.where}${more.join('')}`;
  }

  private addInside({ longitude, latitude }: Place): void {
    this.inside++;
    const [west, south, east, north] = this.judge.county.outline.box;
    const x = longitude * unitsPerDegree;
    const column = Math.floor(((x < west ? x + 360 * unitsPerDegree : x) - west) * (landGridSize / (east - west)));
    const row = Math.floor((latitude * unitsPerDegree - south) * (landGridSize / (north - south)));
    if (column >= 0 && column < landGridSize && row >= 0 && row < landGridSize) this.cells[row * landGridSize + column] = 1;
  }

  private addOutside({ county, reason, detail }: Elsewhere): void {
    this.outside++;
    const counted = this.outsideByReason.get(reason) ?? { county, reason, rows: 0 };
    counted.rows++;
    this.outsideByReason.set(reason, counted);
    this.example ??= detail;
  }
}

function spreadOver({ land }: CountyOutline, cells: Uint8Array): PlaceReport['spread'] {
  const isLand = (cell: number) => (land[cell >> 3]! & (1 << (cell & 7))) !== 0;
  const landCells = [...cells.keys()].filter(isLand);
  return { cells: landCells.length, filled: landCells.filter((cell) => cells[cell] === 1).length };
}

const count = (value: number) => value.toLocaleString('en-US');
