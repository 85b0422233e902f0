import { FieldResolver, Resolver, Root } from 'type-graphql';
import type { DataSource } from 'typeorm';
import { County } from '../../counties/county.js';
import { recordFields } from '../record-fields/record-fields.js';
import { CountyRelease } from './county-release.js';
import { lastCheck } from './parcel-release.entity.js';
import type { ReleaseDescriptions } from './release-descriptions.js';

/** The releases of a county. */
@Resolver(() => County)
export class CountyReleaseResolver {
  constructor(
    private readonly releases: ReleaseDescriptions,
    private readonly dataSource: DataSource,
  ) {}

  @FieldResolver(() => String, { nullable: true, description: "The terms of its records' source; null if not stated." })
  async license(@Root() { currentReleaseId }: County): Promise<string | null> {
    return currentReleaseId === null ? null : (await this.releases.of(currentReleaseId)).license;
  }

  @FieldResolver(() => CountyRelease, { nullable: true, description: 'The current release; null if there is none.' })
  async release(@Root() { fips, currentReleaseId }: County): Promise<CountyRelease | null> {
    if (currentReleaseId === null) return null;
    const release = await this.releases.of(currentReleaseId);
    const check = await lastCheck(this.dataSource, fips, currentReleaseId);
    const { filled, records } = release;
    return {
      ...release,
      checkedAt: check?.endedAt ?? null,
      checkedSourceDate: check?.sourceDate ?? null,
      fillRates: filled && recordFields.map((field) => ({ field, share: (filled[field] ?? 0) / records })),
    };
  }
}
