import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The log of balances and releases: one append-only Merkle tree of which signed checkpoints go out of the database. */
export class ProofLog1790000000018 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // A new one begins only after a restore that lost what an older one had logged.
    await db.query(`
      create table log_origin (
        id       integer     generated always as identity,
        name     text        not null,
        began_at timestamptz not null default service_now(),
        constraint log_origin_pkey primary key (id),
        constraint log_origin_name_unique unique (name)
      )
    `);
    await db.query(`
      create table log_leaf (
        origin_id  integer not null,
        leaf_index bigint  not null,
        text       text    not null,
        constraint log_leaf_pkey primary key (origin_id, leaf_index)
      )
    `);
    await db.query(`create index log_leaf_key on log_leaf (origin_id, leaf_index) where text like 'key %'`);
    // Full subtrees of 256, 65,536… leaves: a proof reads at most 255 rows of each level.
    await db.query(`
      create table log_node (
        origin_id  integer  not null,
        level      smallint not null,
        node_index bigint   not null,
        hash       bytea    not null,
        constraint log_node_pkey primary key (origin_id, level, node_index)
      )
    `);
    await db.query(`
      create table log_checkpoint (
        origin_id integer     not null,
        size      bigint      not null,
        note      text        not null,
        signed_at timestamptz not null default service_now(),
        constraint log_checkpoint_pkey primary key (origin_id, size)
      )
    `);
    // The newest leaf of each balance, by which a batch finds what changed.
    await db.query(`
      create table logged_balance (
        balance_id uuid    not null,
        entries    integer not null,
        head       bytea   not null,
        leaf_index bigint  not null,
        constraint logged_balance_pkey primary key (balance_id)
      ) with (fillfactor = 70)
    `);
    await db.query(`
      create table release_root (
        release_id        integer not null,
        records           integer not null,
        root              bytea   not null,
        -- a hash of 32 bytes for each 256 records
        chunks            bytea   not null,
        attributes_sha256 bytea   not null,
        constraint release_root_pkey primary key (release_id)
      )
    `);
    await db.query(`
      create table logged_release (
        origin_id  integer not null,
        release_id integer not null,
        leaf_index bigint  not null,
        constraint logged_release_pkey primary key (origin_id, release_id)
      )
    `);
    // What keeps the log from being signed; gone when it is well again.
    await db.query(`
      create table log_alarm (
        source  text        not null,
        text    text        not null,
        since   timestamptz not null default service_now(),
        seen_at timestamptz not null default service_now(),
        constraint log_alarm_pkey primary key (source)
      )
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(
      'drop table log_origin, log_leaf, log_node, log_checkpoint, logged_balance, release_root, logged_release, log_alarm cascade',
    );
  }
}
