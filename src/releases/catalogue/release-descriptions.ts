import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import { type DataSource, In } from 'typeorm';
import { County } from '../../counties/county.js';
import type { ReleaseDescription } from './county-release.js';
import { type ReleasePart, sumCounts } from './current-release.js';
import { ParcelReleaseEntity } from './parcel-release.entity.js';

const maxKnown = 10_000;

/** Describes releases. Concurrent requests share one query. Results are cached, since a release never changes. */
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
  const rows = await readRows(dataSource, ids);
  const loads = await readRows(dataSource, [...new Set(rows.flatMap(({ parts }) => (parts ?? []).map(({ loadedBy }) => loadedBy)))]);
  const loadById = new Map(loads.map((load) => [load.id, load]));
  const byId = new Map(rows.map((row) => [row.id, withParts(row, loadById)]));
  return ids.map((id) => byId.get(id) ?? new Error(`there is no release ${id}`));
}

interface ReleaseRow extends Omit<ReleaseDescription, 'parts'> {
  parts: ReleasePart[] | null;
}

function readRows(dataSource: DataSource, ids: readonly number[]): Promise<ReleaseRow[]> {
  return dataSource
    .createQueryBuilder(ParcelReleaseEntity, 'r')
    .innerJoin(County, 'c', 'c.fips = r.countyFips')
    .select(['r.id AS id', 'r.countyFips AS "countyFips"', 'c.name AS "countyName"', 'c.state AS state'])
    .addSelect(['r.source AS source', 'r.sourceUrl AS "sourceUrl"', 'r.sourceDate AS "sourceDate"', 'r.publishedAt AS "publishedAt"'])
    .addSelect(['r.loadedCount AS records', 'r.parts AS parts', `r.report -> 'filled' AS filled`, `r.report ->> 'license' AS license`])
    .where({ id: In([...ids]) })
    .getRawMany<ReleaseRow>();
}

/** The source, date and fill counts of a release in parts come from the loads of its parts. */
function withParts({ parts, ...row }: ReleaseRow, loadById: Map<number, ReleaseRow>): ReleaseDescription {
  if (parts === null) return { ...row, parts: null };
  const loads = parts.map(({ loadedBy }) => loadById.get(loadedBy)!);
  const urls = new Set(loads.map(({ sourceUrl }) => sourceUrl));
  const dates = loads.map(({ sourceDate }) => sourceDate);
  return {
    ...row,
    source: [...new Set(loads.map(({ source }) => source))].toSorted().join(', '),
    sourceUrl: urls.size === 1 ? [...urls][0]! : null,
    license: [...new Set(loads.flatMap(({ license }) => license ?? []))].toSorted().join(', ') || null,
    sourceDate: dates.includes(null) ? null : dates.toSorted()[0]!,
    parts: parts.map(({ name, records }, i) => ({ ...loads[i]!, name, records })).toSorted((a, b) => a.name.localeCompare(b.name)),
    filled: sumCounts(loads.map(({ filled }) => filled)),
  };
}
