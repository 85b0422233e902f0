import { AppError } from '../../errors.js';
import type { Place } from '../normalise/geometry.js';
import type { RowCheck } from '../normalise/record.js';
import type { Situs } from './address-judge.js';
import { type CountyOutline, landGridSize } from './county-outlines.js';
import { unitsPerDegree } from './outline.js';
import type { Elsewhere, PlaceJudge } from './place-judge.js';

/** What the places of a file's rows say, for the report of a load. Rows without a place count by their address, where it is known. */
export interface PlaceReport {
  inside: number;
  /** Rows outside, by the county that they lie in if any, the most frequent first. */
  outside: { county: string | null; reason: string; rows: number }[];
  /** Of the cells of a grid that hold land of the county, those in which rows lie. */
  spread: { cells: number; filled: number };
}

/** Judges rows by where they lie, and counts: which other counties they are of, and over how much of the county they spread. */
export class PlaceTally {
  private inside = 0;
  private outside = 0;
  private readonly outsideByReason = new Map<string, PlaceReport['outside'][number]>();
  /** Rows of which a city's name alone says that they are likely to be in another county. */
  private readonly likely = new Map<string, number>();
  private example: string | null = null;
  private readonly cells = new Uint8Array(landGridSize * landGridSize);

  /** @param force Finds fault with no row, and only counts. */
  constructor(
    private readonly judge: PlaceJudge,
    private readonly force = false,
  ) {}

  readonly check: RowCheck = (place, address) => {
    const elsewhere = place ? this.judgePlace(place) : address && this.judgeAddress(address);
    if (elsewhere) this.addOutside(elsewhere);
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

  /** @throws AppError when most of the rows are of other counties, naming these */
  refuseElsewhere(): void {
    const found = this.outside > this.inside ? `${this.describe()}, for example ${this.example}` : this.describeLikely();
    if (found === null) return;
    throw new AppError(
      'invalid_request',
      `Most of the data lies outside of ${this.judge.county.label}: ${found}. ` +
        'Check the county code, the coordinate system and the columns of the address; --force loads it all the same.',
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

  /** By their cities most rows may be of one other county; those of several counties may as well be townships of this one. */
  private describeLikely(): string | null {
    const [most] = [...this.likely].sort(([, a], [, b]) => b - a);
    const all = this.inside + this.outside + [...this.likely.values()].reduce((sum, rows) => sum + rows, 0);
    return most && most[1] * 2 > all ? `${count(most[1])} of ${count(all)} rows name a city of ${most[0]}` : null;
  }

  private judgePlace(place: Place): Elsewhere | null {
    const elsewhere = this.judge.elsewhere(place);
    if (elsewhere) return elsewhere;
    this.inside++;
    this.fillCell(place);
    return null;
  }

  private judgeAddress(address: Situs): Elsewhere | null {
    const verdict = this.judge.address(address);
    if (verdict === null) return null;
    if ('elsewhere' in verdict) return verdict.elsewhere;
    if ('here' in verdict) this.inside++;
    else this.likely.set(verdict.likely, (this.likely.get(verdict.likely) ?? 0) + 1);
    return null;
  }

  private fillCell({ longitude, latitude }: Place): void {
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
