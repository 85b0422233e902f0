import { type DataSource, In } from 'typeorm';
import { Account } from '../../accounts/account.js';
import { describeOptions, type Profile } from '../../loader/profile/profile.js';
import { importProfile, listProfiles, type StoredProfile } from '../../loader/profile/profile.store.js';
import { readProfileFile, writeProfileFile } from '../../loader/profile-file.js';
import { partName } from '../../releases/catalogue/parts.js';
import { withFormLabels } from '../loads/load-input.js';
import type { CountyProfile, ProfileContent, ProfileFileArgs } from './county-profile.js';

/** Counties' profiles, for operators. */
export class CountyProfileService {
  constructor(private readonly dataSource: DataSource) {}

  /** By part, the newest version first. */
  async list(fips: string): Promise<CountyProfile[]> {
    const all = await listProfiles(this.dataSource, fips);
    const users = await this.dataSource.getRepository(Account).findBy({ id: In(all.map(({ createdBy }) => createdBy)) });
    return all.map((stored) => toProfile(stored, users.find(({ id }) => id === stored.createdBy)?.email));
  }

  /** @throws AppError naming the faulty keys of the file */
  read(args: ProfileFileArgs): ProfileContent {
    const { part, profile } = readFileOf(args);
    return toContent(part, profile);
  }

  /** @throws AppError naming the faulty keys of the file; not_found for an unknown county; conflict while a load of it runs */
  async import(actor: string, args: ProfileFileArgs): Promise<CountyProfile> {
    const { part, profile } = readFileOf(args);
    const { version } = await importProfile(this.dataSource, { fips: args.fips, part, profile, actor });
    return (await this.list(args.fips)).find((each) => each.version === version && each.part === part)!;
  }
}

function readFileOf({ fips, part, file }: ProfileFileArgs): ReturnType<typeof readProfileFile> {
  const read = readProfileFile(file, fips);
  const name = part ?? read.part;
  return { part: name === null ? null : partName(name), profile: read.profile };
}

const toContent = (part: string | null, profile: Profile): ProfileContent => ({
  part,
  options: describeOptions(profile).map(withFormLabels),
  mapping: Object.entries(profile.map).flatMap(([field, { columns, unit }]) =>
    columns.length === 0 ? [] : [`${field}=${columns.join('+')}${unit ? ` (${unit})` : ''}`],
  ),
});

function toProfile(stored: StoredProfile, email: string | undefined): CountyProfile {
  const { countyFips, part, version, isInUse, releaseId, createdAt, createdBy } = stored;
  return {
    id: `${countyFips} ${part ?? ''} ${version}`,
    ...toContent(part, stored.body),
    version,
    isInUse,
    file: writeProfileFile(stored),
    releaseId,
    createdAt,
    createdBy: email ?? createdBy,
  };
}
