import type { MappableField } from './fields.js';

/**
 * Names that mean something else in one vocabulary than everywhere else, by a column that it alone has: New Jersey's tax list
 * has the owner's address in `ST_ADDRESS` and `ZIP_CODE`.
 */
export const dialects: { of: string; mark: string; names: Partial<Record<MappableField, string>> }[] = [
  {
    of: 'New Jersey\u2019s tax list',
    mark: 'pamspin',
    names: { mail_address: 'staddress', mail_city: 'citystate', mail_zip: 'zipcode', tax_amount: 'lastyrtx' },
  },
];

/** Columns that name the county a row belongs to. */
export const countyCodeNames = ['countyfips', 'cntyfips', 'stcntyfips', 'fips', 'fipscode', 'parcelfips', 'geoid', 'stcofips', 'fips5'];
