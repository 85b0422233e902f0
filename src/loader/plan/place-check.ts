import type { ClientBase, Pool } from 'pg';
import { AppError } from '../../errors.js';
import type { County } from '../release/county.store.js';
import type { Position } from './axes.js';
import { countiesHolding } from './county-outlines.js';

/** The bounds are those of simplified outlines, so parcels at the border may lie a little outside of them. */
const marginDegrees = 0.02;

/** Whether a place lies in or right beside the county's bounding box, which may cross the antimeridian. */
export function isWithin([west, south, east, north]: County['bounds'], [longitude, latitude]: Position): boolean {
  if (latitude < south - marginDegrees || latitude > north + marginDegrees) return false;
  const isEast = longitude >= west - marginDegrees;
  const isWest = longitude <= east + marginDegrees;
  return west <= east ? isEast && isWest : isEast || isWest;
}

/** @throws AppError when most of the places lie outside of the county, naming the counties they lie in */
export async function refuseElsewhere(db: ClientBase | Pool, county: County, places: Position[]): Promise<void> {
  const outside = places.filter((place) => !isWithin(county.bounds, place));
  if (outside.length * 2 <= places.length) return;
  const found = await countiesAround(db, outside.slice(0, 100));
  const [longitude, latitude] = outside[0]!;
  throw new AppError(
    'invalid_request',
    `Most of the data lies outside of ${county.name}, ${county.state} (${county.fips}), for example at ${longitude.toFixed(5)}, ${latitude.toFixed(5)}${
      found.length > 0 ? `: it seems to be of ${found.join(' or ')}` : ''
    }. Check the county code and the coordinate system; --force loads it all the same.`,
  );
}

/** The counties that most of the places lie in: by outline, or by bounding box where no outline contains them. */
async function countiesAround(db: ClientBase | Pool, places: Position[]): Promise<string[]> {
  const { rows } = await db.query<{ fips: string; label: string }>(
    `select c.fips, format('%s, %s (%s)', c.name, c.state, c.fips) as label
       from unnest($1::float8[], $2::float8[]) as place (longitude, latitude)
       join county c on place.latitude between c.bounds[2] and c.bounds[4] and place.longitude between c.bounds[1] and c.bounds[3]
      group by c.fips
      order by count(*) desc, (c.bounds[3] - c.bounds[1]) * (c.bounds[4] - c.bounds[2])
      limit 10`,
    [places.map(([longitude]) => longitude), places.map(([, latitude]) => latitude)],
  );
  const holding = await countiesHolding(
    rows.map(({ fips }) => fips),
    places[places.length >> 1]!,
  );
  const found = rows.filter(({ fips }) => holding.includes(fips));
  return (found.length > 0 ? found : rows.slice(0, 3)).map(({ label }) => label);
}
