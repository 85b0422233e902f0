import { recordVersion, trailingFields } from '../../src/releases/record-fields/record-fields.js';
import type { TestDatabase } from './database.js';

/** The fields that a record of the version before the trailing ones lacks. */
export const trailingBlanks = trailingFields.map(({ name }) => `,"${name}":null`).join('');

/**
 * Publishes a made-up release of a county with this many records, as the loader leaves it, or in the version before the trailing fields.
 * It is published once its records are there: a server that hashed it before would find the books broken ever after.
 */
export async function publishRecords(db: TestDatabase, fips: string, count: number, version = recordVersion): Promise<number> {
  const [release] = await db.query<{ id: number }>(
    `insert into parcel_release (county_fips, source, format, read_count, loaded_count, record_version)
     values ($1, 'made up for a test', 'none', $2, $2, $3) returning id`,
    [fips, count, version],
  );
  const { id } = release!;
  await db.query(
    `insert into parcel (release_id, ordinal, apn, record)
     select release_id, n, apn, left(record, -1) || '${version === recordVersion ? trailingBlanks : ''}}' from (select $1::integer as release_id, n, 'APN-' || n as apn, replace(replace(json_build_object(
       'parcel_id', md5($2 || n)::uuid, 'county_fips', $2::text, 'state', c.state, 'county_name', c.name,
       'apn', 'APN-' || n, 'apn_normalized', 'APN' || n, 'apn_sequence', 0,
       'owner_name', null, 'owner_name_2', null, 'mail_address', null, 'mail_city', null, 'mail_state', null, 'mail_zip', null,
       'situs_address', n || ' Main Street — “é”', 'situs_city', null, 'situs_zip', null, 'use_code', null, 'use_description', null, 'zoning', null,
       'land_value', n, 'improvement_value', null, 'total_value', null, 'tax_year', 2014, 'tax_amount', '12.50', 'sale_price', null, 'sale_date', null,
       'year_built', null, 'acres', 0.5, 'gis_acres', null, 'legal_description', null, 'latitude', null, 'longitude', null, 'geometry', null,
       'source', 'made up for a test', 'source_date', null, 'release_id', $1::integer)::text, '" : ', '":'), ', "', ',"') as record
       from generate_series(1, $3::integer) n, county c where c.fips = $2) made`,
    [id, fips, count],
  );
  if (version === recordVersion) await db.query(writeDigests, [id]);
  await db.query(`update parcel_release set state = 'published', published_at = service_now(), ended_at = service_now() where id = $1`, [
    id,
  ]);
  await db.query(
    `update parcel_release r set superseded_at = service_now() from county c where c.fips = $1 and r.id = c.current_release_id`,
    [fips],
  );
  await db.query(
    `update county set current_release_id = $2, release_history = release_history || $2::integer, parcel_count = $3, status = 'loaded', loaded_at = service_now(), source_date = '2014-01-31' where fips = $1`,
    [fips, id, count],
  );
  return id;
}

/** The digests of a release's records, as `contentDigest` makes them. */
export const writeDigests = `
  update parcel_release set content_digests = (
    select string_agg(decode(left(replace(record::json ->> 'parcel_id', '-', ''), 16), 'hex')
                      || substr(sha256(convert_to(split_part(record, ',"source":', 1), 'UTF8')), 1, 16), ''::bytea order by ordinal)
      from parcel where release_id = $1)
   where id = $1`;

/** Makes of a release one of the version before the trailing fields. */
export async function asWrittenBefore(db: TestDatabase, id: number): Promise<void> {
  await db.query(`update parcel set record = split_part(record, $2, 1) || '}' where release_id = $1`, [
    id,
    `,"${trailingFields[0]!.name}":`,
  ]);
  await db.query(
    `update parcel_release set record_version = $3, report = jsonb_set(report, '{filled}', (report -> 'filled') - $2::text[]) where id = $1`,
    [id, trailingFields.map(({ name }) => name), recordVersion - 1],
  );
}
