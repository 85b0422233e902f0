import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The releases of each county, their records, and their parcel maps as vector tiles. */
export class ReleasesAndTiles1800000000002 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      -- releases: one load of a county.
      create table parcel_release (
        id              integer     generated always as identity primary key,
        county_fips     char(5)     not null constraint parcel_release_county_fkey references county (fips),
        part            text, -- the part of the county that was loaded (a town); null: all of it
        state           text        not null default 'loading',
        source          text        not null,
        source_url      text,
        source_sha256   bytea,
        source_date     date,
        format          text        not null,
        mapping         jsonb       not null default '{}',
        profile_version integer, -- the version of the county's profile that it was loaded with; null: none
        -- records = rows read - rows rejected + records of other parts, copied from the previous release
        read_count      integer     not null default 0,
        loaded_count    integer     not null default 0,
        rejected_count  integer     not null default 0,
        kept_count      integer     not null default 0,
        parts           jsonb, -- all parts of a county that is loaded in parts: see ReleasePart in src/releases/catalogue/current-release.ts
        record_version  smallint    not null default 1, -- the version of the records' texts: see src/releases/record-fields
        content_digests bytea, -- 24 bytes a record, in order: half of its id, and the digest of its content; null: unknown
        report          jsonb, -- what the load found: see src/releases/catalogue/release-report.ts
        failure         text,
        started_by      text,
        started_at      timestamptz not null default service_now(),
        ended_at        timestamptz,
        published_at    timestamptz,
        superseded_at   timestamptz, -- when another release replaced it; its records are kept for the retention time from here on
        is_sample       boolean     not null default false, -- whether its records are invented
        -- unchanged: the load changed no record, so it published nothing
        constraint parcel_release_state_known check (state in ('loading', 'held', 'published', 'unchanged', 'failed', 'pruned')),
        constraint parcel_release_counts_add_up check (state = 'loading' or read_count + kept_count = loaded_count + rejected_count)
      );
      -- Pages read pieces of it without the rest, and digests do not compress.
      alter table parcel_release alter column content_digests set storage external;
      create index parcel_release_county on parcel_release (county_fips, id);
      alter table county add constraint county_current_release_fkey foreign key (current_release_id) references parcel_release (id);

      -- Ordinals run from 1 without gaps, so a page is arithmetic. No foreign key on release_id: Postgres would check it once a row, and
      -- only the loader's COPY adds rows.
      create table parcel (
        release_id integer not null,
        ordinal    integer not null,
        apn        text,
        record     text    not null, -- the finished public JSON text
        primary key (release_id, ordinal)
      );

      -- Makes the digests that accounts are shown. It never changes: with another one every record would look changed to all of them.
      create table digest_key (key bytea not null);
      insert into digest_key select sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'));

      -- What the county published beyond the fields of a run of records. A table of its own, so that pages of records stay close together;
      -- in runs, because the attributes of a hundred records take a third of the bytes when they are compressed together.
      create table parcel_attributes (
        release_id    integer not null,
        first_ordinal integer not null,
        last_ordinal  integer not null,
        attributes    text    not null, -- the text of a JSON array with one object per record
        primary key (release_id, first_ordinal)
      );

      -- Rows of a county's file that became no record.
      create table rejected_rows (
        release_id integer not null constraint rejected_rows_release_fkey references parcel_release (id),
        number     integer not null,
        lines      bytea   not null, -- part of the lines of JSON; a line may go on in the next part
        primary key (release_id, number)
      );

      -- tiles: the finished map of a release. Its row is written after the last of its tiles.
      create table parcel_map (
        release_id integer     primary key,
        shapes     integer     not null, -- how many records have a shape
        -- in degrees; null if no record has a shape
        west       double precision,
        south      double precision,
        east       double precision,
        north      double precision,
        cut_at     timestamptz not null default service_now(),
        constraint parcel_map_has_an_extent_if_it_has_shapes check ((shapes > 0) = (num_nulls(west, south, east, north) = 0))
      );

      -- Mapbox Vector Tiles 2.1.
      create table parcel_tile (
        release_id integer  not null,
        z          smallint not null,
        x          integer  not null,
        y          integer  not null,
        gzipped    bytea    not null,
        primary key (release_id, z, x, y)
      );
      -- Postgres would try in vain to compress them again.
      alter table parcel_tile alter column gzipped set storage external;

      -- Finds the parcels of a map's release: see SearchIndex in src/releases/record-fields/search-keys.ts. Hashes do not compress.
      create table parcel_search (
        release_id integer  not null constraint parcel_search_release_fkey references parcel_map (release_id) on delete cascade,
        bucket     smallint not null,
        pairs      bytea    not null,
        primary key (release_id, bucket)
      );
      alter table parcel_search alter column pairs set storage external;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(
      'drop table parcel_search, parcel_tile, parcel_map, rejected_rows, parcel_attributes, digest_key, parcel, parcel_release cascade',
    );
  }
}
