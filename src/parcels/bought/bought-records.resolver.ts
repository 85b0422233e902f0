import { Args, Authorized, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { type Context, requireUser } from '../../core/context.js';
import type { ReleaseDescriptions } from '../../releases/catalogue/release-descriptions.js';
import { describeSegments, LedgerSegment } from '../ledger-segment.js';
import { BoughtPageArgs } from './bought.args.js';
import type { BoughtLibrary } from './bought-library.js';
import { BoughtCounty, BoughtRecords } from './bought-page.js';
import { sumByCounty } from './bought-run.js';

@Resolver(() => BoughtRecords)
export class BoughtRecordsResolver {
  constructor(
    private readonly library: BoughtLibrary,
    private readonly releases: ReleaseDescriptions,
  ) {}

  @Authorized('user')
  @Query(() => BoughtRecords, { description: 'The records that the account read, to find one among them.' })
  boughtRecords(@Args() args: BoughtPageArgs, @Ctx() context: Context): Promise<BoughtRecords> {
    return this.library.page(requireUser(context).id, args);
  }

  @FieldResolver(() => [LedgerSegment], {
    description:
      'The records whose release was deleted, which happens a week after another release replaced it or its county was withdrawn.',
  })
  notKept(@Root() { bought }: BoughtRecords): Promise<LedgerSegment[]> {
    return describeSegments(bought.notKept, this.releases);
  }

  @FieldResolver(() => [BoughtCounty], { description: 'The counties of these records, whatever the search finds among them.' })
  counties(@Root() { bought }: BoughtRecords): Promise<BoughtCounty[]> {
    return Promise.all(
      sumByCounty(bought.runs).map(async ({ releaseId, countyFips, count }) => {
        const { countyName, state } = await this.releases.of(releaseId);
        return { fips: countyFips, name: countyName, state, records: count };
      }),
    );
  }
}
