import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import { type DataSource, In } from 'typeorm';
import { County } from '../counties/county.js';
import { ParcelReleaseEntity } from './parcel-release.entity.js';
import type { ReleaseReport } from './release-report.js';

/** What people want to know of a release that they read from. */
export interface ReleaseDescription {
  id: number;
  countyFips: string;
  countyName: string;
  state: string;
  sourceName: string;
  sourceUrl: string | null;
  sourceDate: string | null;
  publishedAt: Date;
  records: number;
  /** How many records have a value in each field; null: not known. */
  filled: ReleaseReport['filled'] | null;
}

const maxKnown = 10_000;

/** Describes releases, those that are asked for together in one query. A release never changes, so each is looked up once. */
export class ReleaseDescriptions {
  private readonly loader: DataLoader<number, ReleaseDescription>;

  constructor(dataSource: DataSource) {
    const cacheMap = new LRUCache<number, Promise<ReleaseDescription>>({ max: maxKnown });
    this.loader = new DataLoader((ids) => describe(dataSource, ids), { cacheMap });
  }

  of(id: number): Promise<ReleaseDescription> {
    return this.loader.load(id);
  }
}

async function describe(dataSource: DataSource, ids: readonly number[]): Promise<(ReleaseDescription | Error)[]> {
  const rows = await dataSource
    .createQueryBuilder(ParcelReleaseEntity, 'r')
    .innerJoin(County, 'c', 'c.fips = r.countyFips')
    .select('r.id', 'id')
    .addSelect('r.countyFips', 'countyFips')
    .addSelect('c.name', 'countyName')
    .addSelect('c.state', 'state')
    .addSelect('r.source', 'sourceName')
    .addSelect('r.sourceUrl', 'sourceUrl')
    .addSelect('r.sourceDate', 'sourceDate')
    .addSelect('r.publishedAt', 'publishedAt')
    .addSelect('r.loadedCount', 'records')
    .addSelect("r.report -> 'filled'", 'filled')
    .where({ id: In([...ids]) })
    .getRawMany<ReleaseDescription>();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id) ?? new Error(`there is no release ${id}`));
}
