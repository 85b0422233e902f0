import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn, Unique } from 'typeorm';

// SQL reads and writes these tables in bulk; the entities tell what they are.

/** A tree from its first leaf on. The newest is the one that grows. */
@Entity('log_origin')
@Unique('log_origin_name_unique', ['name'])
export class LogOriginEntity {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS', primaryKeyConstraintName: 'log_origin_pkey' })
  id: number;

  /** The first line of its checkpoints. */
  @Column('text')
  name: string;

  @Column('timestamptz', { name: 'began_at', default: () => 'service_now()' })
  beganAt: Date;
}

@Entity('log_leaf')
export class LogLeafEntity {
  @PrimaryColumn('integer', { name: 'origin_id', primaryKeyConstraintName: 'log_leaf_pkey' })
  originId: number;

  @PrimaryColumn('bigint', { name: 'leaf_index', primaryKeyConstraintName: 'log_leaf_pkey' })
  leafIndex: string;

  /** See schema/ledger.md. */
  @Column('text')
  text: string;
}

/** The hash of a full subtree: of 256 leaves at level 8, of 65,536 at level 16. */
@Entity('log_node')
export class LogNodeEntity {
  @PrimaryColumn('integer', { name: 'origin_id', primaryKeyConstraintName: 'log_node_pkey' })
  originId: number;

  @PrimaryColumn('smallint', { primaryKeyConstraintName: 'log_node_pkey' })
  level: number;

  @PrimaryColumn('bigint', { name: 'node_index', primaryKeyConstraintName: 'log_node_pkey' })
  nodeIndex: string;

  @Column('bytea')
  hash: Buffer;
}

@Entity('log_checkpoint')
export class LogCheckpointEntity {
  @PrimaryColumn('integer', { name: 'origin_id', primaryKeyConstraintName: 'log_checkpoint_pkey' })
  originId: number;

  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'log_checkpoint_pkey' })
  size: string;

  /** The signed note. */
  @Column('text')
  note: string;

  @Column('timestamptz', { name: 'signed_at', default: () => 'service_now()' })
  signedAt: Date;
}

/** A balance's newest leaf in the newest tree. */
@Entity('logged_balance')
export class LoggedBalanceEntity {
  @PrimaryColumn('uuid', { name: 'balance_id', primaryKeyConstraintName: 'logged_balance_pkey' })
  balanceId: string;

  @Column('integer')
  entries: number;

  @Column('bytea')
  head: Buffer;

  @Column('bigint', { name: 'leaf_index' })
  leafIndex: string;
}

/** The Merkle tree over a release's records. */
@Entity('release_root')
export class ReleaseRootEntity {
  @PrimaryColumn('integer', { name: 'release_id', primaryKeyConstraintName: 'release_root_pkey' })
  releaseId: number;

  @Column('integer')
  records: number;

  @Column('bytea')
  root: Buffer;

  /** The hashes of its subtrees of 256 records, so that a proof reads one of them. */
  @Column('bytea')
  chunks: Buffer;

  @Column('bytea', { name: 'attributes_sha256' })
  attributesSha256: Buffer;
}

@Entity('logged_release')
export class LoggedReleaseEntity {
  @PrimaryColumn('integer', { name: 'origin_id', primaryKeyConstraintName: 'logged_release_pkey' })
  originId: number;

  @PrimaryColumn('integer', { name: 'release_id', primaryKeyConstraintName: 'logged_release_pkey' })
  releaseId: number;

  @Column('bigint', { name: 'leaf_index' })
  leafIndex: string;
}

/** Why nothing is signed, by who found it: the job, or a server that compares with its own copy. */
@Entity('log_alarm')
export class LogAlarmEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'log_alarm_pkey' })
  source: string;

  @Column('text')
  text: string;

  @Column('timestamptz', { default: () => 'service_now()' })
  since: Date;

  @Column('timestamptz', { name: 'seen_at', default: () => 'service_now()' })
  seenAt: Date;
}
