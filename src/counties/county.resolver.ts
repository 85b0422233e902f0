import { Arg, Args, Extensions, Query, Resolver } from 'type-graphql';
import { AppError } from '../core/errors.js';
import { CountiesArgs } from './county.args.js';
import { County, CountyList } from './county.js';
import type { CountyStore } from './county.store.js';
import { Coverage } from './coverage.js';

@Resolver(() => County)
export class CountyResolver {
  constructor(private readonly store: CountyStore) {}

  @Query(() => Coverage, {
    description:
      'The number of counties and records, for the country and by state. If `inDetail`, counties with invented data count as `sample`, and those with little of their area as `partial`.',
  })
  coverage(@Arg('inDetail', { defaultValue: false }) inDetail: boolean): Promise<Coverage> {
    return this.store.coverage(inDetail);
  }

  @Query(() => CountyList)
  counties(@Args() args: CountiesArgs): Promise<CountyList> {
    return this.store.list(args);
  }

  @Extensions({ rows: 3235 })
  @Query(() => [County], { description: 'All counties whose status is not planned, by FIPS code.' })
  startedCounties(): Promise<County[]> {
    return this.store.started();
  }

  @Query(() => County, { description: 'One county by its five-digit FIPS code.' })
  async county(@Arg('fips') fips: string): Promise<County> {
    const county = /^\d{5}$/.test(fips) ? await this.store.byFips(fips) : null;
    if (!county) throw new AppError('not_found', `There is no county with the FIPS code ${JSON.stringify(fips.slice(0, 40))}.`);
    return county;
  }
}
