import { Check, Column, Entity, ForeignKey, PrimaryGeneratedColumn } from 'typeorm';
import { County } from '../../counties/county.js';
import type { LoadJob, LoadOptionsInput } from './load-job.js';

/** A load that an operator started in the console. */
@Entity('load_job')
@Check('load_job_state_known', `state in ('waiting', 'running', 'published', 'held', 'unchanged', 'failed')`)
@Check('load_job_finished_once', `(finished_at is not null) = (state in ('published', 'held', 'unchanged', 'failed'))`)
export class LoadJobEntity {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS', primaryKeyConstraintName: 'load_job_pkey' })
  id: number;

  @ForeignKey(() => County, { name: 'load_job_county_fkey' })
  @Column('char', { name: 'county_fips', length: 5 })
  countyFips: string;

  /** Null: fetched from the county's own service. */
  @Column('uuid', { name: 'upload_id', nullable: true })
  uploadId: string | null;

  /** Or the address that is fetched from. */
  @Column('text', { name: 'file_name' })
  fileName: string;

  @Column('jsonb')
  options: LoadOptionsInput;

  @Column('text', { default: 'waiting' })
  state: LoadJob['state'];

  @Column('bigint', { name: 'bytes_read', default: () => '0' })
  bytesRead: string;

  @Column('bigint', { name: 'bytes_total', default: () => '0' })
  bytesTotal: string;

  @Column('integer', { name: 'rows_read', default: 0 })
  rowsRead: number;

  @Column('integer', { name: 'rows_loaded', default: 0 })
  rowsLoaded: number;

  @Column('integer', { name: 'rows_rejected', default: 0 })
  rowsRejected: number;

  @Column('text', { nullable: true })
  message: string | null;

  @Column('integer', { name: 'release_id', nullable: true })
  releaseId: number | null;

  /** The account of the operator, or `refreshedBy`. */
  @Column('text', { name: 'started_by' })
  startedBy: string;

  @Column('timestamptz', { name: 'created_at', default: () => 'service_now()' })
  createdAt: Date;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt: Date | null;
}
