import { type DataSource, type FindOptionsOrder, ILike, Like, Not } from 'typeorm';
import { literally } from '../core/parameters.js';
import type { CountiesArgs, CountySort } from './county.args.js';
import { County, type CountyList } from './county.js';
import type { Coverage, StateCoverage } from './coverage.js';

/** Reads counties and coverage. */
export class CountyStore {
  constructor(private readonly dataSource: DataSource) {}

  async list({ status, state, search, sort, limit, offset }: CountiesArgs): Promise<CountyList> {
    const where = { ...(status && { status }), ...(state && { state: state.toUpperCase() }) };
    const [counties, total] = await this.dataSource.getRepository(County).findAndCount({
      where: search
        ? [
            { ...where, name: ILike(`%${literally(search)}%`) },
            { ...where, fips: Like(`${literally(search)}%`) },
          ]
        : where,
      order: { ...orders[sort], fips: 'ASC' },
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

  /** @param inDetail whether a county of invented records counts as `sample`, and one with little of its area as `partial`, not with its status */
  async coverage(inDetail: boolean): Promise<Coverage> {
    // One statement, so that the totals equal the sums of the states, even while a release is published.
    const [national, ...states]: StateCoverage[] = await this.dataSource.query(
      `with counted as (
         select state, case when is_sample and $1 then 'sample' when is_partial and $1 then 'partial' else status end as status,
                case when is_sample and $1 then 0 else parcel_count end as parcels
           from county
       )
       select state, count(*)::integer as counties, sum(parcels)::integer as parcels,
              json_build_object(
                'loaded', count(*) filter (where status = 'loaded'), 'loading', count(*) filter (where status = 'loading'),
                'planned', count(*) filter (where status = 'planned'), 'unavailable', count(*) filter (where status = 'unavailable'),
                'sample', count(*) filter (where status = 'sample'), 'partial', count(*) filter (where status = 'partial')) as "byStatus"
         from counted group by rollup (state) order by state nulls first`,
      [inDetail],
    );
    return { totals: national!, states };
  }
}

const orders: Record<CountySort, FindOptionsOrder<County>> = {
  fips: {},
  name: { name: 'ASC' },
  state: { state: 'ASC' },
  status: { status: 'ASC' },
  records: { parcelCount: 'DESC' },
  source_date: { sourceDate: { direction: 'DESC', nulls: 'LAST' } },
  loaded_at: { loadedAt: { direction: 'DESC', nulls: 'LAST' } },
};
