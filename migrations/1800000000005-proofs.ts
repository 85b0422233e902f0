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

      -- The leaves that a batch appended, as deflated lines: one row for each bundle of 256 that has some of them. See schema/ledger.md.
      create table log_leaves (
        origin_id   integer  not null,
        first_index bigint   not null,
        count       smallint not null,
        lines       bytea    not null,
        primary key (origin_id, first_index)
      );
      alter table log_leaves alter column lines set storage external; -- what is deflated is not compressed again

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

      -- What a witness signed of a checkpoint: a line of its note.
      create table log_cosignature (
        origin_id integer not null,
        size      bigint  not null,
        line      text    not null,
        primary key (origin_id, size, line)
      );

      -- Where a balance, release or key has its newest leaf. Only the place: what was logged is read there, in the tree that was signed.
      create table log_place (
        origin_id  integer not null,
        subject    text    not null collate "C", -- "balance <uuid>", "release <id>", "key <vkey>": found by its first word, too
        leaf_index bigint  not null,
        primary key (origin_id, subject)
      ) with (fillfactor = 70);

      -- The Merkle tree over a release's records.
      create table release_root (
        release_id        integer primary key,
        records           integer not null,
        root              bytea   not null,
        chunks            bytea   not null, -- 32 bytes for each 256 records, so that a proof reads one subtree
        attributes_sha256 bytea   not null
      );
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table log_origin, log_leaves, log_node, log_checkpoint, log_cosignature, log_place, release_root cascade');
  }
}
