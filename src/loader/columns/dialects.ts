import type { MappableField } from './fields.js';

/**
 * Names that mean something else in one vocabulary than everywhere else, by a column that it alone has: New Jersey's tax list
 * has the owner's address in `ST_ADDRESS` and `ZIP_CODE`, Vermont's grand list in `ADDRGL1`. Of several names the fullest column counts.
 */
export const dialects: { of: string; mark: string; names: Partial<Record<MappableField, string>> }[] = [
  {
    of: 'New Jersey\u2019s tax list',
    mark: 'pamspin',
    names: { mail_address: 'staddress', mail_city: 'citystate', mail_zip: 'zipcode', tax_amount: 'lastyrtx' },
  },
  {
    of: 'Vermont\u2019s grand list',
    mark: 'glistspan',
    names: {
      mail_address: 'addrgl1',
      mail_city: 'citygl',
      mail_state: 'stgl',
      mail_zip: 'zipgl',
      situs_address: 'e911addr',
      situs_city: 'town',
      tax_year: 'glyear',
      use_code: 'cat',
      land_value: 'landlv',
      improvement_value: 'imprvlv',
      total_value: 'realflv',
      acres: 'acresgl',
    },
  },
  {
    // Beside the owner of the year it has the one of the first of January, `jan1_owner_name`.
    of: 'the software of many appraisal districts in Texas',
    mark: 'pyownername',
    names: {
      owner_name: 'pyownername',
      mail_address: 'pyaddrline1 pyaddrline2',
      mail_city: 'pyaddrcity',
      mail_state: 'pyaddrstate',
      mail_zip: 'pyaddrzip',
    },
  },
];

/** Columns that name the county a row belongs to. */
export const countyCodeNames = ['countyfips', 'cntyfips', 'stcntyfips', 'fips', 'fipscode', 'parcelfips', 'geoid', 'stcofips', 'fips5'];
