import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is known of a county's source: the options of its loads. A release of a server that knows of no profiles names none. */
export class CountyProfiles1790000000019 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table county_profile (
        county_fips character(5) not null,
        -- empty: the county as a whole
        part        text         not null,
        version     integer      not null,
        body        jsonb        not null,
        -- the release whose load proposed it: in use once that was published; null: an operator brought it
        release_id  integer,
        created_by  text         not null,
        created_at  timestamptz  not null default service_now(),
        constraint county_profile_pkey primary key (county_fips, part, version),
        constraint county_profile_county_fkey foreign key (county_fips) references county (fips),
        constraint county_profile_release_fkey foreign key (release_id) references parcel_release (id)
      )
    `);
    await db.query('alter table parcel_release add column profile_version integer');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table parcel_release drop column profile_version');
    await db.query('drop table county_profile');
  }
}
