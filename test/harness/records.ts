import { type RecordField, recordFields, recordVersion, trailingFields } from '../../src/releases/record-fields/record-fields.js';
import type { TestDatabase } from './database.js';

/** The fields that a record of the version before the trailing ones lacks. */
export const trailingBlanks = trailingFields.map(({ name }) => `,"${name}":null`).join('');

const earlierFields = recordFields.slice(0, recordFields.indexOf('release_id') + 1);

/** SQL for fields of the record number `n` of a release $1 of county `c`. All others are null. */
const madeUpFields: Partial<Record<RecordField, string>> = {
  parcel_id: 'md5(c.fips || n)::uuid',
  county_fips: 'c.fips',
  state: 'c.state',
  county_name: 'c.name',
  apn: `'APN-' || n`,
  apn_normalized: `'APN' || n`,
  apn_sequence: '0',
  situs_address: `n || ' Main Street — “é”'`,
  land_value: 'n',
  tax_year: '2014',
  tax_amount: `'12.50'`,
  acres: '0.5',
  source: `'made up for a test'`,
  release_id: '$1::integer',
};

/**
 * Publishes a made-up release of a county with this many records, as the loader leaves it, or in the version before the trailing fields.
 * It is published once its records are there: a server that hashed it before would find the books broken ever after.
 * @param fields SQL for those that are other than the usual
 */
export async function publishRecords(
  db: Pick<TestDatabase, 'query'>,
  fips: string,
  count: number,
  version = recordVersion,
  fields: Partial<Record<RecordField, string>> = {},
): Promise<number> {
  const [release] = await db.query<{ id: number }>(
    `insert into parcel_release (county_fips, source, format, read_count, loaded_count, record_version)
     values ($1, 'made up for a test', 'none', $2, $2, $3) returning id`,
    [fips, count, version],
  );
  const { id } = release!;
  const values = { ...madeUpFields, ...fields };
  const record = earlierFields.map((name) => `'${name}', ${values[name] ?? 'null'}`);
  await db.query(
    `insert into parcel (release_id, ordinal, apn, record)
     select release_id, n, apn, left(record, -1) || '${version === recordVersion ? trailingBlanks : ''}}' from (
       select $1::integer as release_id, n, 'APN-' || n as apn,
              replace(replace(json_build_object(${record})::text, '" : ', '":'), ', "', ',"') as record
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
const writeDigests = `
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
