import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** Something that a limit counts: one row for each event under each of its keys. */
@Entity('rate_limit_event', { schema: 'auth' })
@Index('rate_limit_event_at', ['at'])
export class RateLimitEventEntity {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'rate_limit_event_pkey',
  })
  id: string;

  @Column('text')
  key: string;

  @Column('timestamptz', { default: () => 'service_now()' })
  at: Date;
}
