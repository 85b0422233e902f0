import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A parcel as one would usually keep it: a column for each field. */
@Entity({ name: 'plain_parcel' })
export class PlainParcel {
  @PrimaryColumn({ type: 'integer' })
  ordinal: number;

  @Column({ type: 'uuid', name: 'parcel_id' })
  parcelId: string;

  @Column({ type: 'text', name: 'county_fips' })
  countyFips: string;

  @Column({ type: 'text' })
  apn: string;

  @Column({ type: 'text', name: 'owner_name' })
  ownerName: string;

  @Column({ type: 'text', name: 'situs_address' })
  situsAddress: string;

  @Column({ type: 'text', name: 'situs_city' })
  situsCity: string;

  @Column({ type: 'text', name: 'situs_zip' })
  situsZip: string;

  @Column({ type: 'text', name: 'use_code' })
  useCode: string;

  @Column({ type: 'integer', name: 'land_value' })
  landValue: number;

  @Column({ type: 'integer', name: 'total_value' })
  totalValue: number;

  @Column({ type: 'integer', name: 'tax_year' })
  taxYear: number;

  @Column({ type: 'integer', name: 'year_built' })
  yearBuilt: number;

  @Column({ type: 'double precision' })
  acres: number;

  @Column({ type: 'double precision' })
  latitude: number;

  @Column({ type: 'double precision' })
  longitude: number;
}

/** The fifteen fields that its readers select. */
export const plainFields = [
  'parcelId',
  'countyFips',
  'apn',
  'ownerName',
  'situsAddress',
  'situsCity',
  'situsZip',
  'useCode',
  'landValue',
  'totalValue',
  'taxYear',
  'yearBuilt',
  'acres',
  'latitude',
  'longitude',
];

/** The same rows as the release's, in columns. */
export const fillPlainParcel = `
  create table plain_parcel as
  select p.ordinal, r.*
    from parcel p
   cross join lateral json_to_record(p.record::json) as r (
     parcel_id uuid, county_fips text, apn text, owner_name text, situs_address text, situs_city text, situs_zip text, use_code text,
     land_value integer, total_value integer, tax_year integer, year_built integer, acres double precision,
     latitude double precision, longitude double precision)
   where p.release_id = $1`;
