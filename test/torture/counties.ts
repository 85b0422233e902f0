import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../src/database/database.js';
import { loadCounty } from '../../src/loader/load-county.js';
import { setCountyStatus } from '../../src/releases/lifecycle/change-county.js';
import { pruneReleases } from '../../src/releases/lifecycle/prune.js';
import { rollBack } from '../../src/releases/lifecycle/publish-release.js';
import type { Random } from './random.js';

export const countyCodes = ['25001', '25003', '25005', '25017', '25025'] as const;

/** From when on a county was for sale to nobody, by the operator's watch, until somebody began to publish it again. */
export interface Withdrawal {
  fips: string;
  acknowledgedAt: number;
  liftedAt: number;
}

/** The operator's hand on the counties, by the very functions of the command line. */
export class Counties {
  readonly withdrawals: Withdrawal[] = [];

  constructor(
    private readonly database: Database,
    private readonly folder: string,
  ) {}

  async load(fips: string, random: Random): Promise<void> {
    const file = join(this.folder, `${fips}-${random.between(0, 1e9)}.csv`);
    await writeCountyFile(file, random.between(20, 400));
    this.lift(fips);
    await loadCounty({ database: this.database, county: fips, files: [file], options: { force: true, republish: true } });
  }

  async rollBack(fips: string): Promise<void> {
    this.lift(fips);
    await this.database.controlDataSource.transaction((manager) => rollBack(manager, fips));
  }

  async withdraw(fips: string): Promise<void> {
    await this.database.controlDataSource.transaction((manager) =>
      setCountyStatus(manager, fips, 'unavailable', 'withdrawn by the torture'),
    );
    if (!this.withdrawals.some((withdrawal) => withdrawal.fips === fips && withdrawal.liftedAt === Number.POSITIVE_INFINITY)) {
      this.withdrawals.push({ fips, acknowledgedAt: Date.now(), liftedAt: Number.POSITIVE_INFINITY });
    }
  }

  async prune(keepDays: number): Promise<void> {
    await pruneReleases(this.database.controlPool, keepDays);
  }

  private lift(fips: string): void {
    for (const withdrawal of this.withdrawals) {
      if (withdrawal.fips === fips && withdrawal.liftedAt === Number.POSITIVE_INFINITY) withdrawal.liftedAt = Date.now();
    }
  }
}

/** A county's file of so many parcels, numbered in its order. */
export async function writeCountyFile(path: string, records: number): Promise<void> {
  const lines = Array.from({ length: records }, (_, index) => `APN-${index + 1},${index + 1} MAIN STREET,"DOE, JANE",${1_000 + index}`);
  await writeFile(path, `${['APN,SITUS_ADDRESS,OWNER,LAND_VALUE', ...lines].join('\n')}\n`);
}
