import type { Pool } from 'pg';
import { recordVersion } from '../../src/releases/record-fields/record-fields.js';
import { trailingBlanks, writeDigests } from '../harness/records.js';

/** Middlesex County MA. */
export const countyFips = '25017';
/** 7,200 pages of 25, about 220 MB: more than a server keeps in memory, so that pages read in turn are always new to it. */
export const recordCount = 180_000;

/**
 * Publishes a county of invented records with all fields, of the size that assessors' records have, as a server of a version of the record
 * leaves them. Gives the release's id.
 */
export async function publishStock(pool: Pool, fips = countyFips, version = recordVersion): Promise<number> {
  const { rows } = await pool.query<{ id: number }>(
    `insert into parcel_release (county_fips, state, source, format, read_count, loaded_count, record_version, published_at, ended_at)
     values ($1, 'published', 'invented', 'none', $2, $2, $3, service_now(), service_now()) returning id`,
    [fips, recordCount, version],
  );
  const { id } = rows[0]!;
  await pool.query(
    `insert into parcel (release_id, ordinal, apn, record)
     select release_id, n, apn, left(record, -1) || '${version === recordVersion ? trailingBlanks : ''}}' from (select $1::integer as release_id, n, 'APN-' || n as apn, replace(replace(json_build_object(
       'parcel_id', md5(n::text)::uuid, 'county_fips', $2::text, 'state', 'MA', 'county_name', 'Middlesex County',
       'apn', 'APN-' || n, 'apn_normalized', 'APN' || n, 'apn_sequence', 0,
       'owner_name', 'EXAMPLE FAMILY TRUST NO ' || n, 'owner_name_2', null,
       'mail_address', 'PO BOX ' || n % 9000, 'mail_city', 'CAMBRIDGE', 'mail_state', 'MA', 'mail_zip', '02139',
       'situs_address', n % 2000 || ' MASSACHUSETTS AVE', 'situs_city', 'CAMBRIDGE', 'situs_zip', '02139',
       'use_code', '101', 'use_description', 'SINGLE FAMILY RESIDENCE', 'zoning', 'R-1',
       'land_value', 20000 + n, 'improvement_value', 90000 + n, 'total_value', 110000 + 2 * n, 'tax_year', 2024, 'tax_amount', '671.25',
       'sale_price', 90000 + n, 'sale_date', '2014-03-15', 'year_built', 1920 + n % 100, 'acres', 0.25, 'gis_acres', 0.26,
       'legal_description', 'LOT ' || n % 80 || ' BLOCK ' || n % 30 || ' OF INVENTED ESTATES',
       'latitude', 42.3736158, 'longitude', -71.1097335,
       'geometry', json_build_object('type', 'Polygon', 'coordinates', json_build_array((
         select json_agg(json_build_array(round((-71.1 + n * 1e-7 + 0.0006 * cos(k * pi() / 4))::numeric, 7),
                                          round((42.3 + n * 1e-7 + 0.0006 * sin(k * pi() / 4))::numeric, 7)) order by k)
           from generate_series(0, 8) k))),
       'source', 'invented', 'source_date', null, 'release_id', $1::integer)::text, '" : ', '":'), ', "', ',"') as record
       from generate_series(1, $3::integer) n) made`,
    [id, fips, recordCount],
  );
  await pool.query(writeDigests, [id]);
  await pool.query(
    `update county set current_release_id = $2, release_history = release_history || $2::integer, parcel_count = $3, status = 'loaded',
            loaded_at = service_now() where fips = $1`,
    [fips, id, recordCount],
  );
  return id;
}
