import { Args, Authorized, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { type Context, requireUser } from '../../core/context.js';
import type { ReleaseDescriptions } from '../../releases/catalogue/release-descriptions.js';
import { describeSegments, LedgerSegment } from '../ledger-segments.resolver.js';
import { countOf } from '../page.js';
import { BoughtPageArgs } from './bought.args.js';
import { BoughtCounty, BoughtRecords } from './bought.js';
import type { BoughtLibrary } from './bought-library.js';
import { groupsBy } from './newest-releases.js';

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
  notKept(@Root() { notKept }: BoughtRecords): Promise<LedgerSegment[]> {
    return describeSegments(notKept, this.releases);
  }

  @FieldResolver(() => [BoughtCounty], { description: 'The counties of these records, whatever the search finds among them.' })
  counties(@Root() { runs }: BoughtRecords): Promise<BoughtCounty[]> {
    return Promise.all(
      groupsBy(runs, ({ countyFips }) => countyFips).map(async (ofCounty) => {
        const { countyFips, countyName, state } = await this.releases.of(ofCounty[0]!.releaseId);
        return { fips: countyFips, name: countyName, state, records: countOf(ofCounty) };
      }),
    );
  }
}
