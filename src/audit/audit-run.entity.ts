import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { AuditFinding } from '../database/books-check.js';

/** An audit that was run. */
@Entity('audit_run')
export class AuditRunEntity {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS', primaryKeyConstraintName: 'audit_run_pkey' })
  id: number;

  @Column('timestamptz', { name: 'ran_at', default: () => 'service_now()' })
  ranAt: Date;

  /** An account, the command line or the schedule. */
  @Column('text')
  actor: string;

  @Column('jsonb')
  findings: AuditFinding[];
}
