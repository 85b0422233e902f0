import { IsIn } from 'class-validator';
import { GraphQLJSON } from 'graphql-scalars';
import { ArgsType, Field, ID, Int, ObjectType } from 'type-graphql';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { SearchedPageArgs } from '../../core/page.args.js';
import type { LoadOptionsInput } from './load-input.js';

const loadStates = ['waiting', 'running', 'published', 'held', 'unchanged', 'failed'] as const;

@ArgsType()
export class LoadJobsArgs extends SearchedPageArgs {
  @Field(() => String, { nullable: true, description: 'A state as `LoadJob.state` names it.' })
  @IsIn(loadStates, { message: `must be one of ${loadStates.join(', ')}` })
  state?: string | null;
}

@ObjectType({ description: 'A load that was started in the console, where it runs in a server, or on the command line.' })
@Entity('load_job')
export class LoadJob {
  /** A number, or for a load on the command line `release-` and the number of its release. */
  @Field(() => ID)
  @PrimaryGeneratedColumn('identity')
  id: number | string;

  @Field()
  @Column('char', { name: 'county_fips', length: 5 })
  countyFips: string;

  @Field()
  countyName: string;

  @Field({ description: "The state's two-letter postal code." })
  countyState: string;

  @Field({ description: "The file's name, or the address that it is fetched from; of a load on the command line, its source." })
  @Column('text', { name: 'file_name' })
  fileName: string;

  @Field(() => String, {
    description:
      'waiting, running, published, held (its release waits for review; then the state of the release), unchanged (no record has changed) or failed.',
  })
  @Column('text')
  state: (typeof loadStates)[number];

  @Field({ description: 'Bytes as a whole number, which may exceed Int. Always 0 for a load on the command line.' })
  @Column('bigint', { name: 'bytes_read' })
  bytesRead: string;

  @Field()
  @Column('bigint', { name: 'bytes_total' })
  bytesTotal: string;

  @Field(() => Int)
  @Column('integer', { name: 'rows_read' })
  rowsRead: number;

  @Field(() => Int)
  @Column('integer', { name: 'rows_loaded' })
  rowsLoaded: number;

  @Field(() => Int)
  @Column('integer', { name: 'rows_rejected' })
  rowsRejected: number;

  @Column('text', { nullable: true })
  message: string | null;

  @Field(() => Int, { nullable: true, description: 'The release of the load, also if it failed; null before the first row.' })
  @Column('integer', { name: 'release_id', nullable: true })
  releaseId: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The email address of the operator who started the load, the id of a deleted account, `command line` or `nightly refresh`.',
  })
  @Column('text', { name: 'started_by' })
  startedBy: string;

  @Field()
  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Field(() => Date, { nullable: true, description: 'When the load ended; null until then.' })
  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt: Date | null;

  /** Null: the data is fetched from the county's own service. */
  @Field(() => ID, { nullable: true, description: 'Its upload, as long as it is kept.' })
  @Column('uuid', { name: 'upload_id', nullable: true })
  uploadId: string | null;

  @Field(() => GraphQLJSON, { nullable: true, description: 'As `startLoad` got them; null for a load on the command line.' })
  @Column('jsonb')
  options: LoadOptionsInput;

  @Field({ description: 'Whether `retryLoad` can repeat it: it failed, and was started in the console.' })
  isRetriable: boolean;
}

export type LoadJobProgress = Partial<
  Pick<LoadJob, 'releaseId' | 'bytesRead' | 'bytesTotal' | 'rowsRead' | 'rowsLoaded' | 'rowsRejected' | 'message'>
>;

@ObjectType()
export class LoadJobPage {
  @Field(() => [LoadJob], { description: 'Newest first.' })
  jobs: LoadJob[];

  @Field(() => Int, { description: 'The number of loads on all pages.' })
  total: number;
}
