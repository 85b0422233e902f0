import type { Pool } from 'pg';
import { recordVersion } from '../../src/releases/record-fields/record-fields.js';
import { publishRecords } from '../harness/records.js';

/** Middlesex County MA. */
export const countyFips = '25017';
/** 7,200 pages of 25, about 220 MB: more than a server keeps in memory, so that pages read in turn are always new to it. */
export const recordCount = 180_000;

/**
 * Publishes a county of invented records with all fields, of the size that assessors' records have, as a server of a version of the record
 * leaves them. Gives the release's id.
 */
export const publishStock = (pool: Pool, fips = countyFips, version = recordVersion): Promise<number> =>
  publishRecords({ query: async (sql, values) => (await pool.query(sql, values)).rows }, fips, recordCount, version, {
    owner_name: `'EXAMPLE FAMILY TRUST NO ' || n`,
    mail_address: `'PO BOX ' || n % 9000`,
    mail_city: `'CAMBRIDGE'`,
    mail_state: `'MA'`,
    mail_zip: `'02139'`,
    situs_address: `n % 2000 || ' MASSACHUSETTS AVE'`,
    situs_city: `'CAMBRIDGE'`,
    situs_zip: `'02139'`,
    use_code: `'101'`,
    use_description: `'SINGLE FAMILY RESIDENCE'`,
    zoning: `'R-1'`,
    land_value: '20000 + n',
    improvement_value: '90000 + n',
    total_value: '110000 + 2 * n',
    tax_amount: `'671.25'`,
    sale_price: '90000 + n',
    sale_date: `'2014-03-15'`,
    year_built: '1920 + n % 100',
    gis_acres: '0.26',
    legal_description: `'LOT ' || n % 80 || ' BLOCK ' || n % 30 || ' OF INVENTED ESTATES'`,
    latitude: '42.3736158',
    longitude: '-71.1097335',
    geometry: `json_build_object('type', 'Polygon', 'coordinates', json_build_array((
      select json_agg(json_build_array(round((-71.1 + n * 1e-7 + 0.0006 * cos(k * pi() / 4))::numeric, 7),
                                       round((42.3 + n * 1e-7 + 0.0006 * sin(k * pi() / 4))::numeric, 7)) order by k)
        from generate_series(0, 8) k)))`,
  });
