import { AppError } from '../core/errors.js';
import type { StatementRunner } from '../database/statement-runner.js';
import { readCatalogue } from './catalogue.js';

/** Inserts missing counties. Does not change existing rows. */
export async function seedCounties(db: StatementRunner): Promise<void> {
  await db.query(
    `insert into county (fips, name, state)
     select c.fips, c.name, c.state from jsonb_to_recordset($1) as c (fips text, name text, state text)
     on conflict (fips) do nothing`,
    [JSON.stringify(readCatalogue())],
  );
}

interface RetiredCounty {
  name: string;
  year: number;
  /** The current codes of its land. Connecticut's eight counties and nine planning regions overlap. */
  successors: string[];
}

/** Retired FIPS codes that still occur in sources. */
const retiredCounties: Record<string, RetiredCounty> = {
  '02261': { name: 'Valdez-Cordova Census Area, AK', year: 2019, successors: ['02063', '02066'] },
  '02270': { name: 'Wade Hampton Census Area, AK', year: 2015, successors: ['02158'] },
  '09001': { name: 'Fairfield County, CT', year: 2022, successors: ['09120', '09140', '09190'] },
  '09003': { name: 'Hartford County, CT', year: 2022, successors: ['09110', '09140', '09160'] },
  '09005': { name: 'Litchfield County, CT', year: 2022, successors: ['09140', '09160', '09190'] },
  '09007': { name: 'Middlesex County, CT', year: 2022, successors: ['09130'] },
  '09009': { name: 'New Haven County, CT', year: 2022, successors: ['09140', '09170'] },
  '09011': { name: 'New London County, CT', year: 2022, successors: ['09130', '09150', '09180'] },
  '09013': { name: 'Tolland County, CT', year: 2022, successors: ['09110', '09150'] },
  '09015': { name: 'Windham County, CT', year: 2022, successors: ['09150', '09180'] },
  '46113': { name: 'Shannon County, SD', year: 2015, successors: ['46102'] },
  '51515': { name: 'Bedford city, VA', year: 2013, successors: ['51019'] },
};

/** The current codes of a county's land: its own, or those of its successors. */
export const successorsOf = (fips: string): string[] => retiredCounties[fips]?.successors ?? [fips];

/**
 * The code to load under: the given one, or with `force` the only successor of a retired one.
 * @throws AppError for a retired code, naming its successors
 */
export function currentCode(fips: string, force: boolean): string {
  const retired = retiredCounties[fips];
  if (!retired) return fips;
  const { name, year, successors } = retired;
  if (force && successors.length === 1) return successors[0]!;
  throw new AppError(
    'invalid_request',
    successors.length === 1
      ? `${fips} (${name}) was retired in ${year}; its current code is ${successors[0]}. Use --force to load the data under it.`
      : `${fips} (${name}) was retired in ${year}; its land is now in ${successors.join(', ')}. Load the file under one of these (--where can select its part).`,
  );
}
