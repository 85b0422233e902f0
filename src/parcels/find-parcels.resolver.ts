import type { Pool } from 'pg';
import { Args, ArgsType, Authorized, Ctx, Field, Float, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { type Context, requireUser } from '../core/context.js';
import { AppError } from '../core/errors.js';
import { IsSearch } from '../core/page.args.js';
import { IsFips } from '../core/parameters.js';
import type { TokenLookup } from '../ledger/token-lookup.js';
import type { Cursors } from './cursor.js';
import { findParcels, type SearchBuckets } from './find-parcels.js';

@ArgsType()
class FindParcelsArgs {
  @Field()
  @IsFips()
  countyFips: string;

  @Field({ description: 'A whole parcel number, or a situs address that begins with the house number and the street.' })
  @IsSearch()
  search: string;

  @Field(() => ID, { nullable: true, description: 'The token that will buy the record; null for none.' })
  tokenId?: string | null;
}

@ObjectType({ description: 'What the map shows of a parcel.' })
class FoundParcel {
  @Field(() => String, { nullable: true })
  apn: string | null;

  @Field(() => Float, { nullable: true, description: 'The middle of its shape, in degrees; null without a shape.' })
  latitude: number | null;

  @Field(() => Float, { nullable: true })
  longitude: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'Where `parcels` with `limit: 1` and the token reads its record; null without a token.',
  })
  cursor: string | null;
}

@ObjectType({ description: 'The parcels of a county that match, without any value of their records.' })
class FoundParcels {
  @Field(() => [FoundParcel])
  parcels: FoundParcel[];

  @Field({ description: 'Whether others match, too.' })
  hasMore: boolean;
}

/** Finds parcels by what customers know of them. Their records are bought by `parcels`, like all others. */
@Resolver()
export class FindParcelsResolver {
  /** @param secondsToWait until an account may search once more */
  constructor(
    private readonly pool: Pool,
    private readonly bucketsOf: SearchBuckets,
    private readonly tokens: TokenLookup,
    private readonly cursors: Cursors,
    private readonly secondsToWait: (accountId: string) => number,
  ) {}

  @Authorized('user')
  @Query(() => FoundParcels, {
    nullable: true,
    description:
      "The parcels of a county's current release that have this number, or whose situs address has all of these words. Null if the county cannot be searched, or not yet.",
  })
  async findParcels(@Args() { countyFips, search, tokenId }: FindParcelsArgs, @Ctx() context: Context): Promise<FoundParcels | null> {
    const token = tokenId ? await this.tokens.ofCaller(context, tokenId) : null;
    const retryAfterSeconds = this.secondsToWait(requireUser(context).id);
    if (retryAfterSeconds > 0) throw new AppError('too_many_requests', 'You search too fast.', { retryAfterSeconds });
    const found = await findParcels(this.pool, this.bucketsOf, countyFips, search);
    if (!found) return null;
    const { releaseId, parcels, hasMore } = found;
    const cursorOf = (ordinal: number) => token && this.cursors.write({ releaseId, ordinal }, token.balanceId);
    return { parcels: parcels.map(({ ordinal, ...parcel }) => ({ ...parcel, cursor: cursorOf(ordinal) })), hasMore };
  }
}
