import type DataLoader from 'dataloader';
import type { Pool } from 'pg';
import { Arg, Args, Authorized, FieldResolver, Int, Query, Resolver, Root } from 'type-graphql';
import type { DataSource } from 'typeorm';
import { hasText } from '../../core/parameters.js';
import { County } from '../../counties/county.js';
import { listReleases, ParcelReleaseEntity, requireRelease } from '../../releases/catalogue/parcel-release.entity.js';
import { shownState } from '../../releases/lifecycle/release.store.js';
import { withFormLabels } from '../loads/form-labels.js';
import { rowsBy } from '../row-loaders.js';
import { RejectedRow, RejectedRowsArgs, readRejects } from './rejected-row.js';
import { LoadedPart, ReleaseList, ReleasesArgs, type ShownReleaseState } from './release.args.js';
import { ReleaseReport, toReport } from './release-report.js';

/** The field `state` of a release `r` of a county `c`. */
export const stateSql = `case
  when r.state = 'published' then case when r.id = c.current_release_id then 'current' else 'previous' end
  when r.state = 'pruned' and r.published_at is null then 'discarded'
  else r.state end`;

/** Releases, for operators. */
@Authorized('admin')
@Resolver(() => ParcelReleaseEntity)
export class ReleaseResolver {
  private readonly counties: DataLoader<string, County | null>;
  private readonly loads: DataLoader<number, ParcelReleaseEntity | null>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly pool: Pool,
  ) {
    this.counties = rowsBy(dataSource, County, 'fips');
    this.loads = rowsBy(dataSource, ParcelReleaseEntity, 'id');
  }

  @Query(() => [ParcelReleaseEntity], { description: "A county's releases, newest first." })
  countyReleases(@Arg('fips') fips: string): Promise<ParcelReleaseEntity[]> {
    return listReleases(this.dataSource, fips);
  }

  @Query(() => ReleaseList, { description: 'Releases of all counties.' })
  async releases(@Args() { search, state, limit, offset }: ReleasesArgs): Promise<ReleaseList> {
    const [releases, total] = await this.dataSource
      .getRepository(ParcelReleaseEntity)
      .createQueryBuilder('r')
      .innerJoin(County, 'c', 'c.fips = r.countyFips')
      .where(search ? `(${hasText(':search', 'c.name')} or starts_with(c.fips::text, :search))` : 'true', { search })
      .andWhere(state ? `${stateSql} = :state` : 'true', { state })
      .orderBy('r.id', 'DESC')
      .limit(limit)
      .offset(offset)
      .getManyAndCount();
    return { releases, total };
  }

  @Query(() => ParcelReleaseEntity, { description: 'One release by its id.' })
  countyRelease(@Arg('releaseId', () => Int) releaseId: number): Promise<ParcelReleaseEntity> {
    return requireRelease(this.dataSource, releaseId);
  }

  @Query(() => [RejectedRow], { description: "The first rejected rows of a release's file, each with the reason." })
  async rejectedRows(@Args() args: RejectedRowsArgs): Promise<RejectedRow[]> {
    await requireRelease(this.dataSource, args.releaseId);
    return readRejects(this.pool, args);
  }

  @FieldResolver(() => String)
  async countyName(@Root() { countyFips }: ParcelReleaseEntity): Promise<string> {
    return (await this.counties.load(countyFips))!.name;
  }

  @FieldResolver(() => String, { description: "The state's two-letter postal code." })
  async countyState(@Root() { countyFips }: ParcelReleaseEntity): Promise<string> {
    return (await this.counties.load(countyFips))!.state;
  }

  @FieldResolver(() => String, {
    description:
      'current, previous (can be published again), loading, held (waits for review), unchanged (had the records of the current release), failed, discarded (was held, and never published), or pruned (its records are deleted).',
  })
  async state(@Root() release: ParcelReleaseEntity): Promise<ShownReleaseState> {
    const state = shownState(release);
    if (state !== 'published') return state;
    return (await this.counties.load(release.countyFips))!.currentReleaseId === release.id ? 'current' : 'previous';
  }

  @FieldResolver(() => [LoadedPart], {
    nullable: true,
    description: 'All parts of the release; null if the county was loaded as a whole.',
  })
  async parts(@Root() { parts }: ParcelReleaseEntity): Promise<LoadedPart[] | null> {
    if (parts === null) return null;
    const loads = await Promise.all(parts.map(({ loadedBy }) => this.loads.load(loadedBy)));
    return parts.map((part, index) => ({ ...part, sourceName: loads[index]!.source, sourceDate: loads[index]!.sourceDate }));
  }

  @FieldResolver(() => String, { nullable: true, description: 'Why the load failed; null if it did not.' })
  failure(@Root() { failure }: ParcelReleaseEntity): string | null {
    return failure && withFormLabels(failure);
  }

  @FieldResolver(() => ReleaseReport, { nullable: true, description: 'Statistics and findings of the load; null if it failed.' })
  report(@Root() { rowsLoaded, report }: ParcelReleaseEntity): ReleaseReport | null {
    return report && toReport(rowsLoaded, report);
  }
}
