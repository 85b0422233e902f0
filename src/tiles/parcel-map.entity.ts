import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The finished map of a release. Its row is written after the last of its tiles. */
@Entity('parcel_map')
@Check('parcel_map_has_an_extent_if_it_has_shapes', '(shapes > 0) = (num_nulls(west, south, east, north) = 0)')
export class ParcelMapEntity {
  @PrimaryColumn('integer', { name: 'release_id', primaryKeyConstraintName: 'parcel_map_pkey' })
  releaseId: number;

  /** How many records have a shape. The extent is null if none has. */
  @Column('integer')
  shapes: number;

  /** In degrees, as the other three. */
  @Column('double precision', { nullable: true })
  west: number | null;

  @Column('double precision', { nullable: true })
  south: number | null;

  @Column('double precision', { nullable: true })
  east: number | null;

  @Column('double precision', { nullable: true })
  north: number | null;

  @Column('timestamptz', { name: 'cut_at', default: () => 'service_now()' })
  cutAt: Date;
}

/** A vector tile (Mapbox Vector Tile 2.1) of a release's map. */
@Entity('parcel_tile')
export class ParcelTileEntity {
  @PrimaryColumn('integer', { name: 'release_id', primaryKeyConstraintName: 'parcel_tile_pkey' })
  releaseId: number;

  @PrimaryColumn('smallint', { primaryKeyConstraintName: 'parcel_tile_pkey' })
  z: number;

  @PrimaryColumn('integer', { primaryKeyConstraintName: 'parcel_tile_pkey' })
  x: number;

  @PrimaryColumn('integer', { primaryKeyConstraintName: 'parcel_tile_pkey' })
  y: number;

  @Column('bytea')
  gzipped: Buffer;
}
