import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * The calls of a token with one outcome that a server wrote at once. Each array has an element for each call; `records` and `entryIds` are
 * empty if no call had any. Partitioned by `slot`, which the entity cannot say.
 */
@Entity('request_batch')
export class RequestBatchEntity {
  @PrimaryColumn('text', { name: 'account_id', primaryKeyConstraintName: 'request_batch_pkey' })
  accountId: string;

  @PrimaryColumn('timestamptz', { primaryKeyConstraintName: 'request_batch_pkey' })
  at: Date;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'request_batch_pkey' })
  id: string;

  @PrimaryColumn('smallint', { primaryKeyConstraintName: 'request_batch_pkey' })
  slot: number;

  @Column('uuid', { name: 'token_id' })
  tokenId: string;

  @Column('smallint')
  status: number;

  @Column('text')
  error: string;

  @Column('real', { name: 'ages_ms', array: true })
  agesMs: number[];

  @Column('real', { name: 'latencies_ms', array: true })
  latenciesMs: number[];

  @Column('uuid', { name: 'request_ids', array: true })
  requestIds: string[];

  @Column('text', { name: 'request_lines', array: true })
  requestLines: string[];

  @Column('integer', { array: true })
  records: number[];

  @Column('uuid', { name: 'entry_ids', array: true })
  entryIds: string[];
}

/** How many calls of a token had an outcome in an hour, and how many of them are listed. */
@Entity('request_count')
@Index('request_count_hour', ['hour'])
export class RequestCountEntity {
  @PrimaryColumn('text', { name: 'account_id', primaryKeyConstraintName: 'request_count_pkey' })
  accountId: string;

  @PrimaryColumn('timestamptz', { primaryKeyConstraintName: 'request_count_pkey' })
  hour: Date;

  @PrimaryColumn('uuid', { name: 'token_id', primaryKeyConstraintName: 'request_count_pkey' })
  tokenId: string;

  @PrimaryColumn('smallint', { primaryKeyConstraintName: 'request_count_pkey' })
  status: number;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'request_count_pkey' })
  error: string;

  @Column('integer')
  calls: number;

  @Column('integer')
  listed: number;
}
