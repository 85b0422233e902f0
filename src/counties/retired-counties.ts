import { AppError } from '../core/errors.js';

interface RetiredCounty {
  name: string;
  year: number;
  /** The current codes that its land is under. Connecticut's eight counties and nine planning regions overlap. */
  successors: string[];
}

/** FIPS codes that are no longer in use but still occur in sources. */
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

/** The codes that a county's land is under today: its own, or those of its successors. */
export const successorsOf = (fips: string): string[] => retiredCounties[fips]?.successors ?? [fips];

/**
 * The code to load under: the given one, or with `force` the only successor of a retired one.
 * @throws AppError for a retired code, naming the current one or ones
 */
export function currentCode(fips: string, force: boolean): string {
  const retired = retiredCounties[fips];
  if (!retired) return fips;
  const { name, year, successors } = retired;
  if (force && successors.length === 1) return successors[0]!;
  throw new AppError(
    'invalid_request',
    successors.length === 1
      ? `${fips} (${name}) was retired in ${year}; its current code is ${successors[0]}. With --force the data is loaded under that.`
      : `${fips} (${name}) was retired in ${year}; its land is now under ${successors.join(', ')}. Load the file under one of these (--where may pick its part).`,
  );
}
