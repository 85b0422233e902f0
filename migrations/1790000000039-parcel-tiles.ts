import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The parcel maps of releases, cut into vector tiles. Servers of the release before do not know them. */
export class ParcelTiles1790000000039 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table parcel_map (
        release_id integer          not null,
        shapes     integer          not null,
        west       double precision,
        south      double precision,
        east       double precision,
        north      double precision,
        cut_at     timestamptz      not null default service_now(),
        constraint parcel_map_pkey primary key (release_id),
        constraint parcel_map_has_an_extent_if_it_has_shapes check ((shapes > 0) = (num_nulls(west, south, east, north) = 0))
      )
    `);
    await db.query(`
      create table parcel_tile (
        release_id integer  not null,
        z          smallint not null,
        x          integer  not null,
        y          integer  not null,
        gzipped    bytea    not null,
        constraint parcel_tile_pkey primary key (release_id, z, x, y)
      )
    `);
    // They are compressed: Postgres would try again in vain.
    await db.query('alter table parcel_tile alter column gzipped set storage external');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table parcel_map, parcel_tile');
  }
}
