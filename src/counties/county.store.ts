import { type DataSource, Not } from 'typeorm';
import type { CountiesArgs } from './county.args.js';
import { County, type CountyList } from './county.js';
import type { Coverage, StateCoverage } from './coverage.js';

/** Reads counties and coverage. */
export class CountyStore {
  constructor(private readonly dataSource: DataSource) {}

  async list({ status, state, limit, offset }: CountiesArgs): Promise<CountyList> {
    const [counties, total] = await this.dataSource.getRepository(County).findAndCount({
      where: { ...(status && { status }), ...(state && { state: state.toUpperCase() }) },
      order: { fips: 'ASC' },
      take: limit,
      skip: offset,
    });
    return { counties, total, limit, offset };
  }

  byFips(fips: string): Promise<County | null> {
    return this.dataSource.getRepository(County).findOneBy({ fips });
  }

  started(): Promise<County[]> {
    return this.dataSource.getRepository(County).find({ where: { status: Not('planned') }, order: { fips: 'ASC' } });
  }

  async coverage(): Promise<Coverage> {
    // One statement, so that the totals are the sums of the states, also while something is published. Invented records are no coverage.
    const rows: CoverageRow[] = await this.dataSource.query(`
      select state, count(*)::integer as counties, coalesce(sum(parcel_count) filter (where not is_sample), 0)::integer as parcels,
             count(*) filter (where status = 'loaded' and not is_sample)::integer as loaded,
             count(*) filter (where status = 'loading')::integer as loading,
             count(*) filter (where status = 'planned' or is_sample)::integer as planned,
             count(*) filter (where status = 'unavailable')::integer as unavailable
        from county group by rollup (state) order by state nulls first`);
    const [national, ...states] = rows.map(toCoverage);
    const { state: _, ...totals } = national!;
    return { totals, states };
  }
}

interface CoverageRow {
  state: string;
  counties: number;
  parcels: number;
  loaded: number;
  loading: number;
  planned: number;
  unavailable: number;
}

const toCoverage = ({ state, counties, parcels, ...byStatus }: CoverageRow): StateCoverage => ({ state, counties, parcels, byStatus });
