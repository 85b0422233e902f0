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
      'The number of counties and records, for the country and by state. If `withSamples` is false, counties with invented data count as `sample`.',
  })
  coverage(@Arg('withSamples', { defaultValue: true }) withSamples: boolean): Promise<Coverage> {
    return this.store.coverage(withSamples);
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
