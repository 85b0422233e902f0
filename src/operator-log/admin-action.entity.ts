import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** Something that an operator did. `before` and `after` hold what changed, never a password or a token. */
@Entity('admin_action')
@Index('admin_action_target', ['target', 'id'])
export class AdminActionEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS', primaryKeyConstraintName: 'admin_action_pkey' })
  id: string;

  @Column('timestamptz', { default: () => 'service_now()' })
  at: Date;

  /** An account's id, or `commandLine`. */
  @Column('text')
  actor: string;

  @Column('text')
  action: string;

  /** The id of the account, token, county… that it changed. */
  @Column('text')
  target: string;

  @Column('text', { nullable: true })
  reason: string | null;

  @Column('jsonb', { nullable: true })
  before: object | null;

  @Column('jsonb', { nullable: true })
  after: object | null;
}
