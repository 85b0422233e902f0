import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { AuditFinding } from '../ledger/books-check.js';

/** A finished audit. */
@Entity('audit_run')
export class AuditRunEntity {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS', primaryKeyConstraintName: 'audit_run_pkey' })
  id: number;

  @Column('timestamptz', { name: 'ran_at', default: () => 'service_now()' })
  ranAt: Date;

  /** An account's id, `commandLine` or `schedule`. */
  @Column('text')
  actor: string;

  @Column('jsonb')
  findings: AuditFinding[];
}
