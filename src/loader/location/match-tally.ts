import { refusal } from '../../core/errors.js';
import { count } from '../../core/format-numbers.js';
import { type CountyOutline, landGridSize } from '../../counties/outlines/county-outlines.js';
import { type Outline, unitsPerDegree } from '../../counties/outlines/outline.js';
import { defaultMaxRejectsPercent, type LoadOptions } from '../plan/load-options.js';
import type { ParcelLocation } from '../records/geometry/geometry.js';
import type { RowCheck } from '../records/record.js';
import { byFrequency, frequentReasons } from '../values/notes.js';
import type { Situs } from './address-matcher.js';
import type { CountyMatcher } from './county-matcher.js';
import { type CountyMatch, here } from './match.js';
import type { StatedCounty } from './stated-county.js';

/** How the rows of a file match the county, for the load's report. Rows without coordinates are matched by address. */
export interface MatchReport {
  inside: number;
  /** Rows outside of the outline, but too near to be rejected. */
  beside: number;
  /** Rows in other counties, by reason, in descending order of rows. */
  elsewhere: { county: string | null; reason: string; rows: number; isByZip: boolean }[];
  /** How many grid cells have land of the county, and how many of these have rows. */
  spread: { cells: number; filled: number };
}

/** The treatment of rows of other counties. `only places` rejects no row by its ZIP code alone, which may be the next county's. */
export type MatchMode = 'rejects' | 'only places' | 'forced';

// An operator who allows this many rejected rows expects rows of other counties, by whatever they are known.
const ofManyCountiesPercent = 50;

export const matchModeOf = ({ force, maxRejectsPercent = 0 }: Pick<LoadOptions, 'force' | 'maxRejectsPercent'>): MatchMode =>
  force ? 'forced' : maxRejectsPercent >= ofManyCountiesPercent ? 'rejects' : 'only places';

/** Matches rows to the county, and counts the other counties that they lie in and how much of the county they cover. */
export class MatchTally {
  private readonly counts = {
    inside: 0,
    beside: 0,
    outside: 0,
    unlisted: 0,
    // In the order of the first rows.
    outsideByCounty: new Map<string | null, number>(),
    likelyByCounty: new Map<string | null, number>(),
    elsewhere: new Map<string, MatchReport['elsewhere'][number]>(),
    example: null as string | null,
    cells: new Uint8Array(landGridSize * landGridSize),
  };

  /** @param stated the column that names the rows' county, if there is one */
  constructor(
    private readonly matcher: CountyMatcher,
    private readonly mode: MatchMode = 'only places',
    private readonly stated: StatedCounty | null = null,
  ) {}

  /** The county's. */
  get outline(): Outline {
    return this.matcher.county.outline;
  }

  readonly check: RowCheck = (location, address) => {
    let match = location ? this.matcher.match(location) : this.matchAddress(address());
    // A neighbour's rows just beyond the border are identified by their ZIP codes.
    if (match.is === 'beside') {
      const byAddress = this.matchAddress(address());
      if (byAddress.is === 'elsewhere') match = byAddress;
    }
    this.count(match);
    if (match.is !== 'elsewhere') {
      if (location) this.fillCell(location);
      return null;
    }
    return this.rejects(match.isByZip) ? match : null;
  };

  /** Post offices and townships don't follow borders, so a column that names the county decides before them. */
  private matchAddress(address: Situs): CountyMatch {
    return this.stated?.here === 'all' ? here : this.matcher.matchAddress(address);
  }

  private rejects(isByZip: boolean): boolean {
    return this.mode === 'rejects' || (this.mode === 'only places' && !isByZip);
  }

  /** Rejected rows by reason, in descending order of rows. */
  get faults(): { reason: string; rows: number }[] {
    return this.report.elsewhere.filter(({ isByZip }) => this.rejects(isByZip));
  }

  get report(): MatchReport {
    const elsewhere = [...this.counts.elsewhere.values()].sort((a, b) => b.rows - a.rows);
    return {
      inside: this.counts.inside,
      beside: this.counts.beside,
      elsewhere,
      spread: spreadOver(this.matcher.county, this.counts.cells),
    };
  }

  /** For the operator: the most frequent reasons why rows were rejected, or would have been without `force`. */
  get warnings(): string[] {
    const loaded = this.report.elsewhere.filter(({ isByZip }) => !this.rejects(isByZip));
    const how = this.mode === 'forced' ? 'loaded with --force' : 'loaded, but doubtful';
    return [...frequentReasons(this.faults, 'rejected'), ...frequentReasons(loaded, how)];
  }

  /**
   * Refuses a file if most of its rows lie in other counties. Rows too near to be rejected count as outside, because all parcels of a small
   * city may lie just beside the surrounding county.
   * @param maxPercent how many rows may be rejected: an operator who allows most of them may load one county out of a file of many
   * @param fitting names a coordinate system that fits the county
   * @throws AppError naming the other counties
   */
  refuseOtherCounty(maxPercent = defaultMaxRejectsPercent, fitting: () => string = () => ''): void {
    const { stated, judged } = this;
    const { fips } = this.matcher.county;
    if (stated?.here === 'none')
      throw refusal(`The rows name county ${stated.example} (column ${stated.column}), not ${fips}; --force loads them anyway.`);
    this.refuseOtherZips(maxPercent);
    const { outside } = this.counts;
    const isMost = outside * 2 > judged && outside * 100 > judged * maxPercent;
    const example = this.counts.example === null ? '' : `, for example ${this.counts.example}`;
    const found = isMost ? `${this.describe()}${example}` : this.describeLikely();
    if (found === null) return;
    throw refusal(
      `Most of the data is outside ${this.matcher.county.label}: ${found}. ` +
        'Check the county code, the coordinate system and the address columns; --force loads it anyway.' +
        (isMost ? fitting() : ''),
    );
  }

  /** Rows that are loaded although their ZIP codes are of other counties may be a few: more are of a file of several counties. */
  private refuseOtherZips(maxPercent: number): void {
    const { judged } = this;
    const doubtful = this.report.elsewhere.filter(({ isByZip }) => isByZip && !this.rejects(isByZip));
    const rows = doubtful.reduce((sum, each) => sum + each.rows, 0);
    if (this.mode === 'forced' || this.counts.outside * 2 > judged || rows * 100 <= judged * maxPercent || rows <= fewByZip) return;
    throw refusal(
      `${frequentReasons(doubtful, 'of other counties').join(' ')} If the file covers more than one county, --max-rejects ${ofManyCountiesPercent} ` +
        'leaves these rows out; --force loads them.',
    );
  }

  /** Rows whose place or address says something: a city that nobody lists is no sign of another county. */
  private get judged(): number {
    return this.counts.inside + this.counts.outside + this.counts.unlisted;
  }

  /** For example `7,812 of 8,000 rows lie in New York County, NY (36061)`. */
  private describe(): string {
    const [first, ...others] = byFrequency(this.counts.outsideByCounty)
      .slice(0, 3)
      .map(([county, rows]) => ({ rows: count(rows), where: county ? `in ${county}` : 'elsewhere' }));
    const more = others.map(({ rows, where }) => `, ${rows} ${where}`);
    return `${first!.rows} of ${count(this.judged)} rows lie ${first!.where}${more.join('')}`;
  }

  /** Set if the cities of most rows are in one other county. Cities of several other counties may be this county's townships. */
  private describeLikely(): string | null {
    const likely = byFrequency(this.counts.likelyByCounty);
    const all = likely.reduce((sum, [, rows]) => sum + rows, this.judged);
    const [county, rows] = likely[0] ?? [null, 0];
    return rows * 2 > all ? `${count(rows)} of ${count(all)} rows name a city in ${county}` : null;
  }

  private count(match: CountyMatch): void {
    if (match.is === 'here') this.counts.inside++;
    else if (match.is === 'likely') add(this.counts.likelyByCounty, match.county);
    else if (match.is === 'unlisted') this.counts.unlisted++;
    else if (match.is !== 'unknown') {
      this.counts.outside++;
      add(this.counts.outsideByCounty, match.county);
      if (match.is === 'beside') this.counts.beside++;
      else {
        this.countFault(match);
        this.counts.example ??= match.detail;
      }
    }
  }

  private countFault({ county, reason, isByZip }: Omit<MatchReport['elsewhere'][number], 'rows'>): void {
    const counted = this.counts.elsewhere.get(reason) ?? { county, reason, rows: 0, isByZip };
    counted.rows++;
    this.counts.elsewhere.set(reason, counted);
  }

  private fillCell({ longitude, latitude }: ParcelLocation): void {
    const [west, south, east, north] = this.matcher.county.outline.box;
    const x = longitude * unitsPerDegree;
    const column = Math.floor(((x < west ? x + 360 * unitsPerDegree : x) - west) * (landGridSize / (east - west)));
    const row = Math.floor((latitude * unitsPerDegree - south) * (landGridSize / (north - south)));
    if (column >= 0 && column < landGridSize && row >= 0 && row < landGridSize) this.counts.cells[row * landGridSize + column] = 1;
  }
}

// A few streets of a county have the next county's ZIP code.
const fewByZip = 10;

const add = (counts: Map<string | null, number>, county: string | null) => counts.set(county, (counts.get(county) ?? 0) + 1);

function spreadOver({ land }: CountyOutline, cells: Uint8Array): MatchReport['spread'] {
  const isLand = (cell: number) => (land[cell >> 3]! & (1 << (cell & 7))) !== 0;
  const landCells = [...cells.keys()].filter(isLand);
  return { cells: landCells.length, filled: landCells.filter((cell) => cells[cell] === 1).length };
}
