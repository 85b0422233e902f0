import { Arg, Extensions, Query, Resolver } from 'type-graphql';
import { type DataSource, In } from 'typeorm';
import { County } from '../county.js';
import { CountyOutlines } from '../outlines/county-outlines.js';
import { ZipCounties } from './address-counties.js';

/** The counties that a ZIP code touches. */
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
}

async function readZips() {
  return { zips: new ZipCounties(), codes: (await CountyOutlines.open()).fipsCodes };
}
