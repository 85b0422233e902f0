import { Arg, Extensions, Query, Resolver } from 'type-graphql';
import { type DataSource, In } from 'typeorm';
import { County } from '../county.js';
import { CountyOutlines } from '../outlines/county-outlines.js';
import { countiesOfCityName, plainCity, ZipCounties } from './address-counties.js';

const mostCounties = 10;

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
      'The counties that the cities of a name are in, those with records first, at most 10; the name may end in a state, as in `Salem, OR`.',
  })
  async countiesOfCity(@Arg('name') name: string): Promise<County[]> {
    const [, city, state] = /^(.*?)(?:[ ,]+([A-Za-z]{2}))?$/.exec(name.trim()) ?? [];
    const find = (text: string, where: object = {}) => {
      const fips = plainCity(text) === '' ? [] : countiesOfCityName(plainCity(text));
      return fips.length === 0
        ? []
        : this.dataSource
            .getRepository(County)
            .find({ where: { fips: In(fips), ...where }, order: { parcelCount: 'DESC', state: 'ASC', fips: 'ASC' }, take: mostCounties });
    };
    const ofState = state ? await find(city!, { state: state.toUpperCase() }) : [];
    return ofState.length > 0 ? ofState : find(name);
  }
}

async function readZips() {
  return { zips: new ZipCounties(), codes: (await CountyOutlines.open()).fipsCodes };
}
