import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The counties of the country, the releases loaded for them, and the records of each release. */
export class Counties1790000000001 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table county (
        fips               char(5)  not null,
        name               text     not null,
        state              char(2)  not null,
        status             text     not null default 'planned',
        note               text,
        current_release_id integer,
        -- what was current, the latest last: a rollback takes the last away; the last of a withdrawn county is the withdrawn one
        release_history    integer[] not null default '{}',
        parcel_count       integer  not null default 0,
        source_date        date,
        loaded_at          timestamptz,
        -- whether its records are invented
        is_sample          boolean  not null default false,
        constraint county_pkey primary key (fips),
        constraint county_fips_five_digits check (fips ~ '^[0-9]{5}$'),
        constraint county_state_two_letters check (state ~ '^[A-Z]{2}$'),
        constraint county_status_known check (status in ('loaded', 'loading', 'planned', 'unavailable')),
        constraint county_loaded_means_released check ((status = 'loaded') = (current_release_id is not null)),
        constraint county_parcel_count_not_negative check (parcel_count >= 0)
      )
    `);
    // One row. Counts the changes of what is published: see bump_coverage_version.
    await db.query(`
      create table coverage_version (
        id      boolean not null default true,
        version bigint  not null,
        constraint coverage_version_pkey primary key (id),
        constraint coverage_version_one_row check (id)
      )
    `);
    await db.query(`insert into coverage_version (version) values (1)`);
    await db.query(`create index county_state_status on county (state, status)`);
    await db.query(`
      create table parcel_release (
        id             integer generated always as identity,
        county_fips    char(5) not null,
        -- the part of the county that was loaded (a town); null: all of it
        part           text,
        state          text    not null default 'loading',
        source         text    not null,
        source_url     text,
        source_sha256  bytea,
        source_date    date,
        format         text    not null,
        mapping        jsonb   not null default '{}',
        -- records = rows read - rows rejected + records of other parts that were taken over
        read_count     integer not null default 0,
        loaded_count   integer not null default 0,
        rejected_count integer not null default 0,
        kept_count     integer not null default 0,
        -- of a county that is loaded in parts, all of them: see src/releases/catalogue/release-part.ts
        parts          jsonb,
        -- of the records' texts in their order, each with a newline behind it; null: not known
        records_sha256 bytea,
        -- what tells each record, and whether it has changed, in their order: see src/loader/write/record-digests.ts; null: not known
        record_digests bytea,
        -- what the load found out of it: see src/releases/catalogue/release-report.ts
        report         jsonb,
        failure        text,
        started_by     text,
        started_at     timestamptz not null default service_now(),
        ended_at       timestamptz,
        published_at   timestamptz,
        -- when another release took its place; it stays readable for a retention time from here
        superseded_at  timestamptz,
        is_sample      boolean not null default false,
        constraint parcel_release_pkey primary key (id),
        constraint parcel_release_county_fkey foreign key (county_fips) references county (fips),
        constraint parcel_release_state_known check (state in ('loading', 'held', 'published', 'failed', 'pruned')),
        constraint parcel_release_counts_add_up check (state = 'loading' or read_count + kept_count = loaded_count + rejected_count)
      )
    `);
    // Kept as it comes, so that pieces of it are read without the rest: nothing in it can be compressed.
    await db.query(`alter table parcel_release alter column record_digests set storage external`);
    await db.query(`create index parcel_release_county on parcel_release (county_fips, id)`);
    await db.query(`
      alter table county add constraint county_current_release_fkey
        foreign key (current_release_id) references parcel_release (id)
    `);
    // No foreign key on release_id: it would be checked once a row, and rows only ever arrive by COPY from the loader.
    // Ordinals run 1…n without gaps, so a page is arithmetic. The record is the finished public JSON text.
    await db.query(`
      create table parcel (
        release_id integer not null,
        ordinal    integer not null,
        apn        text,
        record     text    not null,
        constraint parcel_pkey primary key (release_id, ordinal)
      )
    `);
    // What was published beside the fields of a run of records, as the text of a JSON array. Apart from them, so that pages of records
    // lie as close together as they did, and by runs, since a hundred records' attributes take a third of their bytes when compressed together.
    await db.query(`
      create table parcel_attributes (
        release_id    integer not null,
        first_ordinal integer not null,
        last_ordinal  integer not null,
        attributes    text    not null,
        constraint parcel_attributes_pkey primary key (release_id, first_ordinal)
      )
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table parcel, parcel_attributes, parcel_release, county, coverage_version cascade`);
  }
}
