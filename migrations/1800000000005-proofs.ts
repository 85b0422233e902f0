import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The log of balances and releases: an append-only Merkle tree, whose signed checkpoints leave the database. */
export class Proofs1800000000005 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      -- A tree from its first leaf on; the newest one grows. Another begins only after a restore that lost what the older one had logged.
      create table log_origin (
        id       integer     generated always as identity primary key,
        name     text        not null constraint log_origin_name_unique unique, -- the first line of its checkpoints
        began_at timestamptz not null default service_now()
      );

      create table log_leaf (
        origin_id  integer not null,
        leaf_index bigint  not null,
        text       text    not null, -- see schema/ledger.md
        primary key (origin_id, leaf_index)
      );
      create index log_leaf_key on log_leaf (origin_id, leaf_index) where text like 'key %';

      -- Hashes of full subtrees: of 256 leaves at level 8, of 65,536 at level 16. So a proof reads at most 255 rows of each level.
      create table log_node (
        origin_id  integer  not null,
        level      smallint not null,
        node_index bigint   not null,
        hash       bytea    not null,
        primary key (origin_id, level, node_index)
      );

      create table log_checkpoint (
        origin_id integer     not null,
        size      bigint      not null,
        note      text        not null, -- the signed note
        signed_at timestamptz not null default service_now(),
        primary key (origin_id, size)
      );

      -- The newest leaf of each balance, by which a batch finds what changed.
      create table logged_balance (
        balance_id uuid    primary key,
        entries    integer not null,
        head       bytea   not null,
        leaf_index bigint  not null
      ) with (fillfactor = 70);

      -- The Merkle tree over a release's records.
      create table release_root (
        release_id        integer primary key,
        records           integer not null,
        root              bytea   not null,
        chunks            bytea   not null, -- 32 bytes for each 256 records, so that a proof reads one subtree
        attributes_sha256 bytea   not null
      );

      create table logged_release (
        origin_id  integer not null,
        release_id integer not null,
        leaf_index bigint  not null,
        primary key (origin_id, release_id)
      );
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table log_origin, log_leaf, log_node, log_checkpoint, logged_balance, release_root, logged_release cascade');
  }
}
