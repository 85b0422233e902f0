import type { Pool } from 'pg';
import { Args, ArgsType, Authorized, Ctx, Field, Float, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { type Context, requireUser } from '../core/context.js';
import { AppError } from '../core/errors.js';
import { IsSearch } from '../core/page.args.js';
import { IsFips } from '../core/parameters.js';
import type { TokenLookup } from '../ledger/token-lookup.js';
import { addressWords, plainParcelNumber, searchPlan } from '../releases/record-fields/search-keys.js';
import type { Cursors } from './cursor.js';

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

/** What is read of a record to decide whether it matches. */
interface Candidate {
  apn: string | null;
  situs_address: string | null;
  situs_city: string | null;
  situs_zip: string | null;
  geometry: { coordinates: unknown[] } | null;
}

const mostFound = 10;
// Of a tower, all units have the same house number and street.
const mostCandidates = 500;

/** Finds parcels by what customers know of them. Their records are bought by `parcels`, like all others. */
@Resolver()
export class FindParcelsResolver {
  /** @param secondsToWait until an account may search once more */
  constructor(
    private readonly pool: Pool,
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
    const { buckets, ordinalsIn } = searchPlan(search);
    const { rows } = await this.pool.query<{ releaseId: number; pairs: Buffer | null }>(
      `select m.release_id as "releaseId", s.pairs
         from county c join parcel_map m on m.release_id = c.current_release_id
         left join parcel_search s on s.release_id = m.release_id and s.bucket = any($2::smallint[])
        where c.fips = $1`,
      [countyFips, buckets],
    );
    if (!rows[0]) return null;
    const { releaseId } = rows[0];
    const ordinals = [...new Set(rows.flatMap(({ pairs }) => (pairs ? ordinalsIn(pairs) : [])))];
    const candidates = await this.pool.query<{ ordinal: number; record: string }>(
      'select ordinal, record from parcel where release_id = $1 and ordinal = any($2) order by ordinal limit $3',
      [releaseId, ordinals, mostCandidates],
    );
    const matches = matcherOf(search);
    const found = candidates.rows
      .map(({ ordinal, record }) => ({ ordinal, ...(JSON.parse(record) as Candidate) }))
      .filter(matches)
      .map(({ ordinal, apn, geometry }) => ({
        apn,
        ...middleOf(geometry),
        cursor: token && this.cursors.write({ releaseId, ordinal }, token.balanceId),
      }));
    return { parcels: found.slice(0, mostFound), hasMore: found.length > mostFound || ordinals.length > mostCandidates };
  }
}

/** By whole words: a part of a word would let a caller spell out the address of a record letter by letter. */
function matcherOf(search: string): (candidate: Candidate) => boolean {
  const [number, words] = [plainParcelNumber(search), addressWords(search)];
  return ({ apn, situs_address, situs_city, situs_zip }) => {
    if (apn !== null && plainParcelNumber(apn) === number) return true;
    const known = addressWords([situs_address, situs_city, situs_zip].join(' '));
    return words[0] === known[0] && words.every((word) => known.includes(word));
  };
}

/** The middle of a shape's box, to a meter. */
function middleOf(geometry: Candidate['geometry']): Pick<FoundParcel, 'latitude' | 'longitude'> {
  if (geometry === null) return { latitude: null, longitude: null };
  const numbers = geometry.coordinates.flat(Number.POSITIVE_INFINITY) as number[];
  const middle = (axis: 0 | 1): number => {
    let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let at = axis; at < numbers.length; at += 2) [least, most] = [Math.min(least, numbers[at]!), Math.max(most, numbers[at]!)];
    return Math.round(((least + most) / 2) * 1e5) / 1e5;
  };
  return { longitude: middle(0), latitude: middle(1) };
}
