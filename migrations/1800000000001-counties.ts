import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The counties of the country and what is published of each. */
export class Counties1800000000001 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table county (
        fips               char(5)   primary key constraint county_fips_five_digits check (fips ~ '^[0-9]{5}$'),
        name               text      not null,
        state              char(2)   not null constraint county_state_two_letters check (state ~ '^[A-Z]{2}$'),
        status             text      not null default 'planned',
        note               text,
        current_release_id integer,
        -- The releases that were current, the latest last. A rollback removes the last. The last of a withdrawn county is the withdrawn
        -- one.
        release_history    integer[] not null default '{}',
        parcel_count       integer   not null default 0 constraint county_parcel_count_not_negative check (parcel_count >= 0),
        source_date        date,
        loaded_at          timestamptz,
        withdrawn_at       timestamptz, -- releases that were current before the last withdrawal are not read on, whatever is loaded later
        is_sample          boolean   not null default false, -- whether its records are invented
        -- How much of the county the current release has. The trigger county_describes_its_release fills these.
        area_share         double precision constraint county_area_share_is_a_share check (area_share between 0 and 1),
        part_names         text[],
        is_partial         boolean   not null default false,
        constraint county_status_known check (status in ('loaded', 'loading', 'planned', 'unavailable')),
        constraint county_loaded_means_released check ((status = 'loaded') = (current_release_id is not null))
      );
      create index county_state_status on county (state, status);

      -- One row. Every change of published data raises the number: see bump_coverage_version.
      create table coverage_version (
        id      boolean primary key default true constraint coverage_version_one_row check (id),
        version bigint  not null
      );
      insert into coverage_version (version) values (1);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table county, coverage_version cascade');
  }
}
