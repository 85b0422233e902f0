import { AppError } from '../../core/errors.js';
import { count } from '../../core/format-numbers.js';
import { type CountyOutline, landGridSize } from '../../counties/outlines/county-outlines.js';
import { unitsPerDegree } from '../../counties/outlines/outline.js';
import type { Place } from '../records/geometry/geometry.js';
import type { RowCheck } from '../records/record.js';
import { byFrequency, frequentReasons } from '../values/row-reasons.js';
import type { PlaceJudge } from './county-matcher.js';
import type { Verdict } from './match.js';

/** What the places of a file's rows say, for the report of a load. Rows without a place count by their address, where it is known. */
export interface PlaceReport {
  inside: number;
  /** Rows that lie outside, but too near to be rejected for that. */
  beside: number;
  /** Rows that are of other counties, by reason, the most frequent first. */
  elsewhere: { county: string | null; reason: string; rows: number }[];
  /** Of the cells of a grid that hold land of the county, those in which rows lie. */
  spread: { cells: number; filled: number };
}

/** What a tally counts, by county or reason in the order of their first rows. */
export interface PlaceCounts {
  inside: number;
  beside: number;
  outside: number;
  outsideByCounty: Map<string | null, number>;
  likelyByCounty: Map<string | null, number>;
  elsewhere: Map<string, PlaceReport['elsewhere'][number]>;
  example: string | null;
  cells: Uint8Array;
}

const noCounts = (): PlaceCounts => ({
  inside: 0,
  beside: 0,
  outside: 0,
  outsideByCounty: new Map(),
  likelyByCounty: new Map(),
  elsewhere: new Map(),
  example: null,
  cells: new Uint8Array(landGridSize * landGridSize),
});

/** Judges rows by where they lie, and counts: which other counties they are of, and over how much of the county they spread. */
export class PlaceTally {
  private counts = noCounts();

  /** @param force Finds fault with no row, and only counts. */
  constructor(
    private readonly judge: PlaceJudge,
    private readonly force = false,
  ) {}

  readonly check: RowCheck = (place, address) => {
    let verdict = place ? this.judge.verdictOn(place) : this.judge.verdictOnAddress(address());
    // The neighbour's first rows beyond the border are known by their ZIP codes.
    if (verdict.is === 'beside') {
      const byAddress = this.judge.verdictOnAddress(address());
      if (byAddress.is === 'elsewhere') verdict = byAddress;
    }
    this.count(verdict);
    if (verdict.is !== 'elsewhere') {
      if (place) this.fillCell(place);
      return null;
    }
    return this.force ? null : verdict;
  };

  /** What was counted since the last call, to be added to another tally of the county. */
  take(): PlaceCounts {
    const { counts } = this;
    this.counts = noCounts();
    return counts;
  }

  /** In the order of the rows, so that what comes first is the same as if all had been judged here. */
  add(other: PlaceCounts): void {
    const { counts } = this;
    counts.inside += other.inside;
    counts.beside += other.beside;
    counts.outside += other.outside;
    for (const [county, rows] of other.outsideByCounty) add(counts.outsideByCounty, county, rows);
    for (const [county, rows] of other.likelyByCounty) add(counts.likelyByCounty, county, rows);
    for (const { county, reason, rows } of other.elsewhere.values()) this.countFault(county, reason, rows);
    counts.example ??= other.example;
    for (let i = 0; i < other.cells.length; i++) counts.cells[i]! |= other.cells[i]!;
  }

  /** Rows that were found fault with, by reason, the most frequent first. */
  get faults(): { reason: string; rows: number }[] {
    return this.force ? [] : this.report.elsewhere;
  }

  get report(): PlaceReport {
    const elsewhere = [...this.counts.elsewhere.values()].sort((a, b) => b.rows - a.rows);
    return { inside: this.counts.inside, beside: this.counts.beside, elsewhere, spread: spreadOver(this.judge.county, this.counts.cells) };
  }

  /** For an operator: the most frequent reasons for which rows were rejected, or would have been. */
  get warnings(): string[] {
    return frequentReasons(this.report.elsewhere, this.force ? 'loaded by force' : 'rejected');
  }

  /**
   * A small city's parcels may all lie just beside the county around it, so rows count that are too near to be rejected, too.
   * @param maxPercent of rows that may be rejected: who allows most of them to be may load one county out of a file of many
   * @throws AppError when most of the rows are of other counties, naming these
   */
  refuseElsewhere(maxPercent: number): void {
    const isMost =
      this.counts.outside > this.counts.inside && this.counts.outside * 100 > (this.counts.inside + this.counts.outside) * maxPercent;
    const example = this.counts.example === null ? '' : `, for example ${this.counts.example}`;
    const found = isMost ? `${this.describe()}${example}` : this.describeLikely();
    if (found === null) return;
    throw new AppError(
      'invalid_request',
      `Most of the data lies outside of ${this.judge.county.label}: ${found}. ` +
        'Check the county code, the coordinate system and the columns of the address; --force loads it all the same.',
    );
  }

  /** Such as `7,812 of 8,000 rows lie in New York County, NY (36061)`. */
  private describe(): string {
    const [first, ...others] = byFrequency(this.counts.outsideByCounty)
      .slice(0, 3)
      .map(([county, rows]) => ({ rows: count(rows), where: county ? `in ${county}` : 'elsewhere' }));
    const more = others.map(({ rows, where }) => `, ${rows} ${where}`);
    return `${first!.rows} of ${count(this.counts.inside + this.counts.outside)} rows lie ${first!.where}${more.join('')}`;
  }

  /** By their cities most rows may be of one other county; those of several counties may as well be townships of this one. */
  private describeLikely(): string | null {
    const likely = byFrequency(this.counts.likelyByCounty);
    const all = likely.reduce((sum, [, rows]) => sum + rows, this.counts.inside + this.counts.outside);
    const [county, rows] = likely[0] ?? [null, 0];
    return rows * 2 > all ? `${count(rows)} of ${count(all)} rows name a city of ${county}` : null;
  }

  private count(verdict: Verdict): void {
    if (verdict.is === 'here') this.counts.inside++;
    else if (verdict.is === 'likely') add(this.counts.likelyByCounty, verdict.county);
    else if (verdict.is !== 'unknown') {
      this.counts.outside++;
      add(this.counts.outsideByCounty, verdict.county);
      if (verdict.is === 'beside') this.counts.beside++;
      else {
        this.countFault(verdict.county, verdict.reason, 1);
        this.counts.example ??= verdict.detail;
      }
    }
  }

  private countFault(county: string | null, reason: string, rows: number): void {
    const counted = this.counts.elsewhere.get(reason) ?? { county, reason, rows: 0 };
    counted.rows += rows;
    this.counts.elsewhere.set(reason, counted);
  }

  private fillCell({ longitude, latitude }: Place): void {
    const [west, south, east, north] = this.judge.county.outline.box;
    const x = longitude * unitsPerDegree;
    const column = Math.floor(((x < west ? x + 360 * unitsPerDegree : x) - west) * (landGridSize / (east - west)));
    const row = Math.floor((latitude * unitsPerDegree - south) * (landGridSize / (north - south)));
    if (column >= 0 && column < landGridSize && row >= 0 && row < landGridSize) this.counts.cells[row * landGridSize + column] = 1;
  }
}

const add = (counts: Map<string | null, number>, county: string | null, rows = 1) => counts.set(county, (counts.get(county) ?? 0) + rows);

function spreadOver({ land }: CountyOutline, cells: Uint8Array): PlaceReport['spread'] {
  const isLand = (cell: number) => (land[cell >> 3]! & (1 << (cell & 7))) !== 0;
  const landCells = [...cells.keys()].filter(isLand);
  return { cells: landCells.length, filled: landCells.filter((cell) => cells[cell] === 1).length };
}
