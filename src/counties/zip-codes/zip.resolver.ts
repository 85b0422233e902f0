import { Arg, Extensions, Query, Resolver } from 'type-graphql';
import { type DataSource, In } from 'typeorm';
import { County } from '../county.js';
import { CountyOutlines } from '../outlines/county-outlines.js';
import { states } from '../states.js';
import { countiesOfCityName, plainCity, ZipCounties } from './address-counties.js';

const mostCounties = 10;
const longestName = 100;

/** The counties that a ZIP code touches, and those of a city. */
@Resolver()
export class ZipResolver {
  private known: Promise<{ zips: ZipCounties; codes: string[] }> | null = null;

  constructor(private readonly dataSource: DataSource) {}

  @Extensions({ rows: 10 })
  @Query(() => [County], { description: 'The counties that a five-digit ZIP code overlaps; empty for an unknown ZIP code.' })
  async countiesOfZip(@Arg('zip') zip: string): Promise<County[]> {
    if (!/^\d{5}$/.test(zip)) return [];
    this.known ??= readZips();
    const { zips, codes } = await this.known;
    const fips = In(zips.of(Number(zip)).map((index) => codes[index]!));
    return this.dataSource.getRepository(County).find({ where: { fips }, order: { fips: 'ASC' } });
  }

  @Extensions({ rows: mostCounties })
  @Query(() => [County], {
    description:
      'The counties that the cities of a name are in, those with records first, at most 10; the name may end in a state, as in `Salem, OR` or `Salem, Oregon`.',
  })
  async countiesOfCity(@Arg('name') name: string): Promise<County[]> {
    if (name.length > longestName) return [];
    const [city, state] = cityAndState(name.trim());
    const find = (text: string, where: object = {}) => {
      const fips = plainCity(text) === '' ? [] : countiesOfCityName(plainCity(text));
      return fips.length === 0
        ? []
        : this.dataSource
            .getRepository(County)
            .find({ where: { fips: In(fips), ...where }, order: { parcelCount: 'DESC', state: 'ASC', fips: 'ASC' }, take: mostCounties });
    };
    const ofState = state ? await find(city, { state }) : [];
    return ofState.length > 0 ? ofState : find(name);
  }
}

/** The longest name of a state counts: `Charleston, West Virginia` is not a city `Charleston, West`. */
function cityAndState(name: string): [city: string, state?: string] {
  const endings = Object.entries(states).flatMap(([code, [, stateName]]) => [[code, code] as const, [stateName, code] as const]);
  const [ending, code] = endings
    .filter(([each]) => /[ ,]$/.test(name.slice(0, -each.length)) && name.toLowerCase().endsWith(each.toLowerCase()))
    .reduce((longest, each) => (each[0].length > longest[0].length ? each : longest), ['', ''] as readonly [string, string]);
  return code === '' ? [name] : [name.slice(0, -ending.length).replace(/[ ,]+$/, ''), code];
}

async function readZips() {
  return { zips: new ZipCounties(), codes: (await CountyOutlines.open()).fipsCodes };
}
